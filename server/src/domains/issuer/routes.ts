import type { IssuerAnswer } from '#server/drivers/issuer/index';
import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { issuerApi, issuerOperatorApi } from '#shared/issuer/api';
import { challengeBearer, challengeClient, flat, rawOf, tokenMissing, unauthenticated } from './answers.ts';
import { createAuthorize, type SignInPorts } from './authorize.ts';
import { createConsentHandlers } from './consent-routes.ts';
import { parseForm, type SentForm } from './form.ts';
import type { IssuerService } from './service.ts';

type Parts = SignInPorts & { nameOfWorkspace: (id: string) => string | undefined };
const badForm = () =>
  flat(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded without repeated parameters.');

/** Reports whether a form names its client, and authenticates it in no other way than by a secret. */
const namesClient = ({ headers }: SentForm, form: URLSearchParams): boolean =>
  !form.has('client_assertion') && (headers['authorization'] !== undefined || (form.get('client_id') ?? '') !== '');

/** Every answer to a refresh has an ID token, so a narrower scope contains openid too (OpenID Connect Core 1.0, 12.1). */
const dropsOpenid = (form: URLSearchParams): boolean =>
  form.get('grant_type') === 'refresh_token' &&
  form.has('scope') &&
  !(form.get('scope') ?? '').split(' ').includes('openid');
const scopeWithoutOpenid: IssuerAnswer = {
  status: 400,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ error: 'invalid_scope', error_description: 'scope must contain openid' }),
};

/** The endpoints of the issuer. */
export function issuerRoutes(mount: Mount, parts: Parts): void {
  const { issuer } = parts;
  const authorize = createAuthorize(parts);

  const post = async (raw: SentForm, answer: (body: string, form: URLSearchParams) => Promise<IssuerAnswer>) => {
    const form = parseForm(raw);
    if (!form) return badForm();
    const answered = namesClient(raw, form)
      ? await answer(Buffer.from(raw.bytes).toString('utf8'), form)
      : unauthenticated('Name the client, and authenticate it with its secret.');
    return rawOf(challengeClient(answered));
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
    exchangeOauthToken: async ({ raw }) =>
      post(raw, async (body, form) =>
        dropsOpenid(form) ? scopeWithoutOpenid : issuer.answer(requestOf('/oauth/token', raw, body)),
      ),
    revokeOauthToken: passOn('/oauth/revoke'),
    introspectOauthToken: async ({ raw }) =>
      post(raw, (body, form) => issuer.introspection.introspect(requestOf('/oauth/introspect', raw, body), form)),
    getUserinfo: async ({ raw }) => {
      const { authorization } = raw.headers;
      const token = /^bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
      const isPresented = authorization !== undefined;
      if (token === undefined) return rawOf(challengeBearer(tokenMissing(), { isPresented }));
      const ofPat = issuer.introspection.userinfoOfPat(token);
      return rawOf(ofPat ?? challengeBearer(await issuer.answer(requestOf('/oauth/userinfo', raw)), { isPresented }));
    },
    ...createConsentHandlers(parts, authorize),
  });
}

export function issuerOperatorRoutes(mount: Mount, { rotate }: Pick<IssuerService, 'rotate'>): void {
  mount(issuerOperatorApi, {
    rotateOidcKey:
      ({ caller }) =>
      () =>
        created(rotate(actorOf(caller))),
  });
}
