import Provider, { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { currentRequest } from './current-request.ts';
import type { AccountClaims, AuthorizationRequest, IssuerClient, IssuerPerson } from './ports.ts';
import { insideScopes, sentScopes } from './scopes.ts';

export type AuthorizationPorts = {
  findClient: (clientId: string) => IssuerClient | undefined;
  /** Reports whether the account may sign in at the client for this Workspace now. */
  mayAuthorize: (request: Omit<AuthorizationRequest, 'scopes' | 'search' | 'redirectUri'>) => boolean;
  hasConsent: (request: AuthorizationRequest) => boolean;
  /** Returns the path of the page on which the account decides. */
  requestConsent: (request: AuthorizationRequest) => string;
  /** Records the account, the client and the Workspace of a new grant. */
  bindGrant: (grantId: string, request: AuthorizationRequest) => void;
  /** Returns claims for a grant; undefined when the account has no access any more. */
  findClaims: (accountId: string, grantId: string) => AccountClaims | undefined;
  /** Returns the pairwise subject of an account at a client (OpenID Connect Core 1.0, 8.1). */
  subjectOf: (accountId: string, clientId: string) => string;
};
type Context = KoaContextWithOIDC;

const workspaceIdShape = /^[^\p{Cc}]{1,256}$/u;
const promptShape = /^(?:none|login)$/;

const workspaceOf = ({ oidc }: Context): string | undefined => oidc.params?.['workspace_id'] as string | undefined;

/** The library has found the client before it calls back. */
function clientIdOf({ oidc }: Context): string {
  if (!oidc.client) throw new Error('an authorization without a client');
  return oidc.client.clientId;
}

/** Checks the parameters that the library does not know, or accepts in more forms. */
export function checkParameters(ctx: Context, { mayAuthorize }: Pick<AuthorizationPorts, 'mayAuthorize'>): void {
  const { params = {} } = ctx.oidc;
  const { state, nonce, prompt } = params as Record<string, string | undefined>;
  const workspaceId = workspaceOf(ctx);
  if (
    !String(params['scope'] ?? '')
      .split(' ')
      .includes('openid')
  )
    throw new errors.InvalidScope('scope must contain openid', 'openid');
  if (state === undefined || state.length > 512) throw new errors.InvalidRequest('state must have 1 to 512 characters');
  if (nonce !== undefined && nonce.length > 512)
    throw new errors.InvalidRequest('nonce must have at most 512 characters');
  if (prompt !== undefined && !promptShape.test(prompt))
    throw new errors.InvalidRequest('prompt must be none or login');
  if (workspaceId !== undefined && !workspaceIdShape.test(workspaceId))
    throw new errors.InvalidRequest('workspace_id must have 1 to 256 characters and no control character');
  requireMembership(ctx, mayAuthorize);
}

function requireMembership(ctx: Context, mayAuthorize: AuthorizationPorts['mayAuthorize']): void {
  const workspaceId = workspaceOf(ctx);
  const { person } = currentRequest.getStore() ?? {};
  if (person && !mayAuthorize({ person, clientId: clientIdOf(ctx), workspaceId }))
    throw new errors.AccessDenied('the account is not an active member of the Workspace');
}

function requestOf(ctx: Context, person: IssuerPerson): AuthorizationRequest {
  const { params = {} } = ctx.oidc;
  const { url } = currentRequest.getStore() ?? { url: '' };
  return {
    person,
    clientId: clientIdOf(ctx),
    redirectUri: String(params['redirect_uri']),
    workspaceId: workspaceOf(ctx),
    scopes: sentScopes(String(params['scope'] ?? '')).split(' '),
    search: url.split('?', 2)[1] ?? '',
  };
}

/** Returns the grant of an account that has consented before; without one the consent is asked for. */
export function createLoadGrant(ports: AuthorizationPorts) {
  return async (ctx: Context) => {
    const { person } = currentRequest.getStore() ?? {};
    if (!person) return undefined;
    const request = requestOf(ctx, person);
    if (!ports.hasConsent(request)) return undefined;
    const { Grant } = ctx.oidc.provider as Provider;
    const grant = new Grant({ accountId: person.accountId, clientId: request.clientId });
    grant.addOIDCScope(insideScopes(request.scopes.join(' ')));
    const grantId = await grant.save();
    ports.bindGrant(grantId, request);
    return grant;
  };
}

/** Returns the page to continue on: to sign in, or to consent. */
export function createInteractionUrl(ports: AuthorizationPorts) {
  return (ctx: Context, interaction: { prompt: { name: string } }): string => {
    const { person, url } = currentRequest.getStore() ?? { url: '/' };
    if (interaction.prompt.name === 'login' || !person) return `/sign-in?${new URLSearchParams({ return: url })}`;
    return ports.requestConsent(requestOf(ctx, person));
  };
}

/** Sign-in and consent, without the rule by which a client forces the page of consent. */
export function createPolicy() {
  const policy = interactionPolicy.base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  return policy;
}
