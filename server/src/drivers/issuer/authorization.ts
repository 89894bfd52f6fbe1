import Provider, { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { currentRequest } from './current-request.ts';
import { type OutagePorts, requireWrites, writing } from './outage.ts';
import type { AccountClaims, AuthorizationRequest, IssuerClient, IssuerPerson } from './ports.ts';
import { insideScopes, sentScopes } from './scopes.ts';

export type AuthorizationPorts = OutagePorts & {
  findClient: (clientId: string) => IssuerClient | undefined;
  /** Returns the reason that the account may not sign in at the client for this Workspace now. */
  findDenial: (request: Omit<AuthorizationRequest, 'scopes' | 'search' | 'redirectUri'>) => string | undefined;
  hasConsent: (request: AuthorizationRequest) => boolean;
  /** Returns the path of the page on which the account decides. */
  requestConsent: (request: AuthorizationRequest) => string;
  /** Returns a mark of now for one request, which only this server can make. */
  createLoginMark: (request: string) => string;
  /** Reports whether an account has signed in after the mark of this request was made. */
  isAfterMark: (mark: string, request: string, person: IssuerPerson) => boolean;
  /** Records the account, the client and the Workspace of a new grant. */
  bindGrant: (grantId: string, request: AuthorizationRequest) => void;
  /** Returns claims for a grant; undefined when the account has no access any more. */
  findClaims: (accountId: string, grantId: string) => AccountClaims | undefined;
  /** Returns the pairwise subject of an account at a client (OpenID Connect Core 1.0, 8.1). */
  subjectOf: (accountId: string, clientId: string) => string;
};
type Context = KoaContextWithOIDC;

/** Forms of parameters; a hash of SHA-256 has 43 characters in base64url (RFC 7636, 4.2). */
const shapes: Readonly<Record<string, RegExp>> = {
  state: /^.{1,512}$/su,
  nonce: /^.{1,512}$/su,
  prompt: /^(?:none|login)$/,
  code_challenge: /^[\w-]{43}$/,
  workspace_id: /^[^\p{Cc}]{1,256}$/u,
};

/** The library has found the client before it calls back. */
function clientIdOf({ oidc }: Context): string {
  if (!oidc.client) throw new Error('an authorization without a client');
  return oidc.client.clientId;
}

/** Returns the Workspace that a request names, or the one of its client. */
const workspaceOf = (ctx: Context, { findClient }: Pick<AuthorizationPorts, 'findClient'>): string | undefined =>
  (ctx.oidc.params?.['workspace_id'] as string | undefined) ?? findClient(clientIdOf(ctx))?.workspaceId;

/** Checks the parameters as they were sent: those that the library does not know, drops, or accepts in more forms. */
export function checkParameters(
  ctx: Context,
  ports: Pick<AuthorizationPorts, 'findDenial' | 'findClient' | 'takesWrites'>,
): void {
  requireWrites(ports);
  const { url } = currentRequest.getStore() ?? { url: '' };
  const sent = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  checkScopes((sent.get('scope') ?? '').split(' '), ports.findClient(clientIdOf(ctx))?.scopes ?? []);
  for (const [name, shape] of Object.entries(shapes)) {
    const value = sent.get(name);
    if (value !== null && !shape.test(value)) throw new errors.InvalidRequest(`${name} is not valid`);
  }
  if (!sent.has('state')) throw new errors.InvalidRequest('state is missing');
  requireAccess(ctx, ports);
}

function checkScopes(sent: readonly string[], allowed: readonly string[]): void {
  if (!sent.includes('openid')) throw new errors.InvalidScope('scope must contain openid', 'openid');
  if (!sent.every((scope) => allowed.includes(scope)))
    throw new errors.InvalidScope('scope has a value that this client may not request', sent.join(' '));
}

function requireAccess(ctx: Context, ports: Pick<AuthorizationPorts, 'findDenial' | 'findClient'>): void {
  const workspaceId = workspaceOf(ctx, ports);
  const { person } = currentRequest.getStore() ?? {};
  const denial = person && ports.findDenial({ person, clientId: clientIdOf(ctx), workspaceId });
  if (denial !== undefined) throw new errors.AccessDenied(denial);
}

function requestOf(
  ctx: Context,
  person: IssuerPerson,
  ports: Pick<AuthorizationPorts, 'findClient'>,
): AuthorizationRequest {
  const { params = {} } = ctx.oidc;
  const { url } = currentRequest.getStore() ?? { url: '' };
  return {
    person,
    clientId: clientIdOf(ctx),
    redirectUri: String(params['redirect_uri']),
    workspaceId: workspaceOf(ctx, ports),
    scopes: sentScopes(String(params['scope'] ?? '')).split(' '),
    search: url.slice(url.indexOf('?') + 1),
  };
}

/** Returns the grant of an account that has consented before; without one the consent is asked for. */
export function createLoadGrant(ports: AuthorizationPorts) {
  return async (ctx: Context) => {
    const { person } = currentRequest.getStore() ?? {};
    if (!person) return undefined;
    const request = requestOf(ctx, person, ports);
    if (!ports.hasConsent(request)) return undefined;
    const { Grant } = ctx.oidc.provider as Provider;
    const grant = new Grant({ accountId: person.accountId, clientId: request.clientId });
    grant.addOIDCScope(insideScopes(request.scopes.join(' ')));
    const grantId = await grant.save();
    writing(ports, () => ports.bindGrant(grantId, request));
    return grant;
  };
}

/** Parameter of the address after a sign-in that a client has forced. */
export const loginMark = 'login_mark';

/** Returns the page to continue on: to sign in, or to consent. */
export function createInteractionUrl(ports: AuthorizationPorts) {
  return (ctx: Context, interaction: { prompt: { name: string } }): string => {
    const { person, url } = currentRequest.getStore() ?? { url: '/' };
    if (interaction.prompt.name !== 'login' && person) return ports.requestConsent(requestOf(ctx, person, ports));
    const request = withoutMark(url);
    const back = requiresSignIn(ctx) ? withMark(request, ports.createLoginMark(request)) : url;
    return `/sign-in?${new URLSearchParams({ return: back })}`;
  };
}

const requiresSignIn = ({ oidc }: Context): boolean =>
  oidc.prompts.has('login') || oidc.params?.['max_age'] !== undefined;

const withMark = (request: string, mark: string): string => `${request}&${new URLSearchParams({ [loginMark]: mark })}`;

/** Returns the address of a request as the client sent it. */
const withoutMark = (url: string): string =>
  url
    .split('&')
    .filter((pair) => !pair.startsWith(`${loginMark}=`))
    .join('&');

/** Reports whether the account has signed in since the client forced it to (OpenID Connect Core 1.0, 3.1.2.1). */
function hasSignedIn(ctx: Context, { isAfterMark }: Pick<AuthorizationPorts, 'isAfterMark'>): boolean {
  const mark = ctx.oidc.params?.[loginMark];
  const { person, url = '' } = currentRequest.getStore() ?? {};
  return typeof mark === 'string' && person !== undefined && isAfterMark(mark, withoutMark(url), person);
}

/**
 * Sign-in and consent. A client cannot force the page of consent, and a forced sign-in ends with the next session: the
 * library would ask again after each one.
 */
export function createPolicy(ports: Pick<AuthorizationPorts, 'isAfterMark'>) {
  const policy = interactionPolicy.base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  const { Check } = interactionPolicy;
  const { checks } = policy.get('login') ?? { checks: undefined };
  checks?.remove('login_prompt');
  checks?.remove('max_age');
  const forced = (ctx: Context): boolean => {
    const { max_age: age } = (ctx.oidc.params ?? {}) as { max_age?: number };
    const isOld = age !== undefined && ctx.oidc.session?.accountId !== undefined && ctx.oidc.session.past(age);
    return (isOld || ctx.oidc.prompts.has('login')) && !hasSignedIn(ctx, ports);
  };
  checks?.add(new Check('login_forced', 'the client requires a sign-in', 'login_required', forced));
  return policy;
}
