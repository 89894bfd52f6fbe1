import type { Configuration, KoaContextWithOIDC, AccountClaims as LibraryClaims } from 'oidc-provider';
import { errors } from 'oidc-provider';
import type { Clock } from '#server/kernel/clock';
import { oidcLifetimes, oidcScopes } from '#shared/issuer/contract';
import { createAdapter } from './adapter.ts';
import {
  type AuthorizationPorts,
  checkParameters,
  createInteractionUrl,
  createLoadGrant,
  createPolicy,
  loginMark,
} from './authorization.ts';
import { writing } from './outage.ts';
import type { RecordStore, SigningKey } from './ports.ts';
import { insideScopes, offlineScope, sentScopes } from './scopes.ts';

export type IssuerPorts = AuthorizationPorts & {
  issuer: string;
  clock: Clock;
  records: RecordStore;
  /** Newest first. */
  keys: readonly SigningKey[];
  onFault: (error: Error) => void;
  /** Called when a spent refresh token was sent, and everything that it led to has ended. */
  onReuse: (token: { accountId: string; clientId: string }) => void;
};

/** Configures the library: code flow with PKCE, ES256, pairwise subjects, rotating refresh tokens, and nothing else. */
export const configurationOf = (ports: IssuerPorts): Configuration => ({
  adapter: (name: string) => createAdapter(name, ports),
  jwks: { keys: ports.keys.map((key) => ({ ...key, alg: 'ES256', use: 'sig' })) },
  routes: {
    authorization: '/oauth/authorize',
    token: '/oauth/token',
    userinfo: '/oauth/userinfo',
    revocation: '/oauth/revoke',
    introspection: '/oauth/introspect',
    jwks: '/oauth/jwks',
  },
  scopes: oidcScopes.map(insideScopes),
  claims: {
    openid: ['sub', 'svc', 'aud', 'scope', 'workspace_memberships'],
    email: ['email', 'email_verified'],
    profile: ['name'],
  },
  conformIdTokenClaims: false,
  responseTypes: ['code'],
  subjectTypes: ['public', 'pairwise'],
  pairwiseIdentifier: (_ctx, accountId, client) => ports.subjectOf(accountId, client.clientId),
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
  allowOmittingSingleRegisteredRedirectUri: false,
  pkce: { required: () => true },
  extraParams: { workspace_id: (ctx) => checkParameters(ctx, ports), [loginMark]: () => {} },
  loadExistingGrant: createLoadGrant(ports),
  interactions: { policy: createPolicy(ports), url: createInteractionUrl(ports) },
  issueRefreshToken: (_ctx, client, code) => client.grantTypeAllowed('refresh_token') && code.scopes.has(offlineScope),
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  findAccount: createFindAccount(ports),
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    introspection: { enabled: true, allowedPolicy: requireSecret },
    userinfo: { enabled: true },
  },
  ttl: {
    AuthorizationCode: oidcLifetimes.code,
    AccessToken: oidcLifetimes.accessToken,
    IdToken: oidcLifetimes.idToken,
    RefreshToken: oidcLifetimes.refreshToken,
    Grant: oidcLifetimes.grant,
    Interaction: oidcLifetimes.consentPage,
    Session: oidcLifetimes.consentPage,
  },
  cookies: { keys: ['no cookie of this library is sent'] },
  renderError: (ctx, out) => {
    ctx.type = 'application/json';
    ctx.body = out;
  },
});

/** Public clients may not read tokens of others. */
function requireSecret(_ctx: KoaContextWithOIDC, client: { clientAuthMethod?: string | undefined }): boolean {
  if (client.clientAuthMethod === 'none') throw new errors.InvalidClient('introspection needs a client with a secret');
  return true;
}

/** An account is found only while its grant gives access, so that tokens end with a membership. */
const createFindAccount =
  (ports: IssuerPorts): Configuration['findAccount'] =>
  async (ctx, accountId, token) => {
    const grantId = token && 'grantId' in token ? token.grantId : undefined;
    if (grantId !== undefined && !ports.findClaims(accountId, grantId)) {
      writing(ports, () => ports.records.removeGrant(grantId));
      return undefined;
    }
    return {
      accountId,
      async claims(use, scope): Promise<LibraryClaims> {
        const id = grantId ?? ctx.oidc.entities.Grant?.jti ?? '';
        const found = ports.findClaims(accountId, id);
        const { profile = {}, email = {}, workspace } = found ?? {};
        const svc = workspace && { svc: workspace };
        const common = { sub: accountId, ...profile, ...email, ...svc } as LibraryClaims;
        if (use !== 'userinfo') return common;
        const memberships = workspace && { workspace_memberships: [workspace['workspace_id']] };
        return { ...common, aud: ctx.oidc.client?.clientId, scope: sentScopes(scope), ...memberships } as LibraryClaims;
      },
    };
  };
