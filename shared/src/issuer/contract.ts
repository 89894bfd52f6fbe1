import { z } from 'zod';
import { DisplayName } from '../kernel/scalars.ts';
import { vendor } from '../vendor.ts';

/** Scopes that a client can have, in display order. */
export const oidcScopes = ['openid', 'profile', 'email', 'offline_access', 'capsules:read', 'capsules:write'] as const;
export type OidcScope = (typeof oidcScopes)[number];

/** Lifetimes of what the issuer gives out, in seconds. */
export const oidcLifetimes = {
  code: 300,
  accessToken: 300,
  idToken: 300,
  refreshToken: 2_592_000,
  /** A grant without a refresh token lives as long as its code and the access token after it. */
  grant: 600,
  interfaceToken: 60,
  consentPage: 600,
  /** A replaced signing key stays listed this long. */
  replacedKey: 86_400,
} as const;

/** Contract of the record that authorizes the client of a Capsule. */
export const activationContract = `${vendor}.accounts-oidc-activation/v1`;

/** The client of the command line, on every server. */
export const cliClientId = 'groundctl-cli';

const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/[^\s#]*$/;
const web = /^https:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/;
/** A private-use scheme in authority form (RFC 8252, 7.1). */
const custom = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/;
const forbiddenSchemes = /^(?:https?|javascript|data|file|blob|about|ftp|wss?|vbscript):/;

export const isNativeRedirect = (uri: string): boolean =>
  loopback.test(uri) || (custom.test(uri) && !forbiddenSchemes.test(uri));
const isRedirect = (uri: string): boolean => URL.canParse(uri) && (web.test(uri) || isNativeRedirect(uri));

const RedirectUri = z
  .string()
  .max(2_048)
  .refine(isRedirect, 'It must be https, a loopback address, or a custom scheme.');

/** A program of the operator that signs people in, in `oidc-clients.json`. */
export const OidcClient = z
  .strictObject({
    clientId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
    name: DisplayName,
    redirectUris: z.array(RedirectUri).min(1).max(16),
    tokenEndpointAuthMethod: z.enum(['client_secret_basic', 'client_secret_post', 'none']),
    clientSecretSha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    scopes: z.array(z.enum(oidcScopes)).min(1),
  })
  .refine(({ scopes }) => scopes.includes('openid'), { path: ['scopes'], message: 'It must contain openid.' })
  .refine(
    ({ tokenEndpointAuthMethod: method, clientSecretSha256: secret }) => (method === 'none') === (secret === undefined),
    { path: ['clientSecretSha256'], message: 'A client has a secret exactly when its method is not none.' },
  )
  .refine(({ redirectUris }) => new Set(redirectUris.map(isNativeRedirect)).size === 1, {
    path: ['redirectUris'],
    message: 'A client has either web redirects or native ones.',
  })
  .refine(
    ({ redirectUris: [first = '', ...more] }) =>
      isNativeRedirect(first) || more.every((uri) => new URL(uri).host === new URL(first).host),
    { path: ['redirectUris'], message: 'All web redirects of a client have the same host.' },
  );
export type OidcClient = z.infer<typeof OidcClient>;
