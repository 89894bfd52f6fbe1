import type { IssuerAnswer } from '#server/drivers/issuer/index';
import { type Mount, ok } from '#server/kernel/http/index';
import { issuerApi } from '#shared/issuer/api';
import { challenged, flat, rawOf } from './answers.ts';
import { createAuthorize, type SignInPorts } from './authorize.ts';
import { createConsentHandlers } from './consent-routes.ts';
import { parseForm, type SentForm } from './form.ts';

type Parts = SignInPorts & { nameOfWorkspace: (id: string) => string | undefined };
const badForm = () =>
  flat(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded without repeated parameters.');

/** The endpoints of the issuer. */
export function issuerRoutes(mount: Mount, parts: Parts): void {
  const { issuer } = parts;
  const authorize = createAuthorize(parts);

  const post = async (raw: SentForm, answer: (body: string, form: URLSearchParams) => Promise<IssuerAnswer>) => {
    const form = parseForm(raw);
    return form ? rawOf(challenged(await answer(Buffer.from(raw.bytes).toString('utf8'), form), 'Basic')) : badForm();
  };
  const requestOf = (url: string, { headers }: SentForm, body?: string) => {
    const { authorization } = headers;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const credential = authorization === undefined ? {} : { authorization };
    const method = body === undefined ? ('GET' as const) : ('POST' as const);
    return {
      method,
      url,
      headers: { accept: 'application/json', ...(body !== undefined && form), ...credential },
      body,
    };
  };
  const passOn =
    (url: string) =>
    async ({ raw }: { raw: SentForm }) =>
      post(raw, (body) => issuer.answer(requestOf(url, raw, body)));

  mount(issuerApi, {
    getOpenidConfiguration: () => ok(issuer.metadata()),
    getJwks: () => ok({ keys: issuer.listPublicKeys() }),
    authorize: async ({ caller, raw }) => {
      const destination = raw.headers['sec-fetch-dest'];
      if (destination !== undefined && destination !== 'document')
        return flat(400, 'invalid_request', 'Open this address in the browser: a page may not load it.');
      return authorize(caller, caller.search, 302);
    },
    exchangeOauthToken: passOn('/oauth/token'),
    revokeOauthToken: passOn('/oauth/revoke'),
    introspectOauthToken: async ({ raw }) =>
      post(raw, (body, form) => issuer.introspection.introspect(requestOf('/oauth/introspect', raw, body), form)),
    getUserinfo: async ({ raw }) => {
      const token = /^bearer ([\x21-\x7e]+)$/i.exec(raw.headers['authorization'] ?? '')?.[1] ?? '';
      const ofPat = issuer.introspection.userinfoOfPat(token);
      return rawOf(ofPat ?? challenged(await issuer.answer(requestOf('/oauth/userinfo', raw)), 'Bearer'));
    },
    ...createConsentHandlers(parts, authorize),
  });
}
