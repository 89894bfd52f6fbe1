import inject from 'light-my-request';
import Provider, { type errors, type KoaContextWithOIDC } from 'oidc-provider';
import { usedBefore } from './adapter.ts';
import { configurationOf, type IssuerPorts } from './configuration.ts';
import { currentRequest } from './current-request.ts';
import type { Issuer } from './issuer.ts';
import { installHashedSecrets, installPairwiseSubjects, installSessions, installTokenPrefixes } from './models.ts';
import { insideScopes, sentScopes } from './scopes.ts';

/** Headers of the library that reach the client: no cookie, and no permission for pages of other origins. */
const isPassedOn = (name: string): boolean =>
  ['cache-control', 'content-type', 'location', 'pragma', 'www-authenticate'].includes(name);

/** Details of refusals of a refresh token that was used before: of the library, and of two requests at once. */
const reuses: ReadonlySet<string> = new Set(['refresh token already used', usedBefore]);

/** Modes of an answer at a redirect. */
const responseModes = ['query', 'fragment'];

/** Creates the issuer with its library. It knows accounts only through its ports, and sets no cookie. */
export function createLoadedIssuer(ports: IssuerPorts): Issuer {
  const provider = new Provider(ports.issuer, configurationOf(ports));
  // Behind a proxy, the address of the server is a setting and not a header.
  provider.proxy = true;
  installSessions(provider);
  installHashedSecrets(provider);
  installPairwiseSubjects(provider);
  installTokenPrefixes(provider);
  provider.on('server_error', (_ctx: KoaContextWithOIDC, error: Error) => ports.onFault(error));
  provider.on('grant.error', ({ oidc }: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    const { accountId, clientId } = oidc.entities.RefreshToken ?? {};
    if (reuses.has(error.error_detail ?? '') && accountId && clientId) ports.onReuse({ accountId, clientId });
  });
  const dispatch = provider.callback();
  const { protocol, host } = new URL(ports.issuer);
  return {
    async answer(request) {
      const answer = await currentRequest.run(
        request,
        async () =>
          // Awaited here, because the request starts with the first use of its promise.
          await inject(dispatch as never, {
            method: request.method,
            url: insideUrl(request.url),
            headers: { ...request.headers, host, 'x-forwarded-proto': protocol.slice(0, -1) },
            ...(request.body !== undefined && { payload: insideForm(request.body) }),
          }),
      );
      const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => isPassedOn(name)));
      return {
        status: answer.statusCode,
        headers: headers as Record<string, string>,
        body: withSentScopes(answer.payload, String(answer.headers['content-type'] ?? '')),
      };
    },
  };
}

function insideUrl(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : `${url.slice(0, at)}?${insideForm(url.slice(at + 1))}`;
}

/**
 * Renames the scopes of a query or a form, modes of the library that are not offered, and tokens that are documents: they
 * are unknown here, and an error to the library. The rest stays as sent.
 */
function insideForm(text: string): string {
  return text
    .split('&')
    .map((pair) => {
      const [[name, value] = ['', '']] = [...new URLSearchParams(pair)];
      if (name === 'scope') return `scope=${encodeURIComponent(insideScopes(value))}`;
      if (name === 'token' && value.includes('.')) return 'token=unknown';
      const isRefusedMode = name === 'response_mode' && !responseModes.includes(value);
      return isRefusedMode ? 'response_mode=unsupported' : pair;
    })
    .join('&');
}

function withSentScopes(body: string, contentType: string): string {
  if (!contentType.includes('json')) return body;
  const parsed = JSON.parse(body) as { scope?: unknown };
  return typeof parsed.scope === 'string' ? JSON.stringify({ ...parsed, scope: sentScopes(parsed.scope) }) : body;
}
