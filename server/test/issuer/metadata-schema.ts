import { z } from 'zod';

const endpoint = (origin: string, path: string) => z.literal(`${origin}${path}`);
/** A list whose order means nothing. */
const setOf = (...values: string[]) =>
  z.array(z.string()).refine((list) => list.length === values.length && values.every((one) => list.includes(one)));

/** Returns the schema of the metadata (OpenID Connect Discovery 1.0, 3; RFC 8414, 2; RFC 9207, 3). */
export const providerMetadata = (origin: string) =>
  z.strictObject({
    issuer: z.literal(origin),
    authorization_endpoint: endpoint(origin, '/oauth/authorize'),
    token_endpoint: endpoint(origin, '/oauth/token'),
    userinfo_endpoint: endpoint(origin, '/oauth/userinfo'),
    revocation_endpoint: endpoint(origin, '/oauth/revoke'),
    introspection_endpoint: endpoint(origin, '/oauth/introspect'),
    jwks_uri: endpoint(origin, '/oauth/jwks'),
    response_types_supported: setOf('code'),
    response_modes_supported: setOf('query', 'fragment'),
    grant_types_supported: setOf('authorization_code', 'refresh_token'),
    subject_types_supported: setOf('pairwise'),
    id_token_signing_alg_values_supported: setOf('ES256'),
    token_endpoint_auth_methods_supported: setOf('client_secret_basic', 'client_secret_post', 'none'),
    revocation_endpoint_auth_methods_supported: setOf('client_secret_basic', 'client_secret_post', 'none'),
    introspection_endpoint_auth_methods_supported: setOf('client_secret_basic', 'client_secret_post'),
    code_challenge_methods_supported: setOf('S256'),
    scopes_supported: setOf('openid', 'profile', 'email', 'offline_access', 'capsules:read', 'capsules:write'),
    claims_supported: setOf('sub', 'iss', 'aud', 'exp', 'iat', 'nonce', 'email', 'email_verified', 'name', 'svc'),
    request_parameter_supported: z.literal(false),
    request_uri_parameter_supported: z.literal(false),
    claims_parameter_supported: z.literal(false),
    authorization_response_iss_parameter_supported: z.literal(true),
  });

/** Returns the schema of the members of the discovery document that name the issuer. */
export const productDiscovery = (origin: string) =>
  z.looseObject({
    auth: z.strictObject({ oidc: z.literal(true), password: z.boolean() }),
    apiBaseUrl: endpoint(origin, '/api/v1'),
    api_versions: z.array(z.string()).min(1),
    features: z.looseObject({ oidc: z.literal(true) }),
    endpoints: z.looseObject({
      api: endpoint(origin, '/api/v1'),
      capabilities: endpoint(origin, '/api/v1/capabilities'),
      openapi: endpoint(origin, '/openapi.json'),
      oidc_issuer: z.literal(origin),
    }),
  });

/** The public keys of the issuer (RFC 7517, 5; RFC 7518, 6.2.1). */
export const publicKeys = z.strictObject({
  keys: z
    .array(
      z.strictObject({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: z.string().regex(/^[\w-]{43}$/),
        y: z.string().regex(/^[\w-]{43}$/),
        kid: z.string().regex(/^[\w-]{43}$/),
        use: z.literal('sig'),
        alg: z.literal('ES256'),
      }),
    )
    .min(1),
});
