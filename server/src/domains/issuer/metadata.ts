import type { Metadata } from '#shared/issuer/api';
import { oidcScopes } from '#shared/issuer/contract';

const authMethods = ['client_secret_basic', 'client_secret_post', 'none'];
const confidentialMethods = ['client_secret_basic', 'client_secret_post'];

/** Metadata of the issuer (OpenID Connect Discovery 1.0, 3; RFC 8414, 2; RFC 9207, 3). */
export const metadataOf = (issuer: string): Metadata => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  userinfo_endpoint: `${issuer}/oauth/userinfo`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  jwks_uri: `${issuer}/oauth/jwks`,
  response_types_supported: ['code'],
  response_modes_supported: ['query', 'fragment'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  subject_types_supported: ['pairwise'],
  id_token_signing_alg_values_supported: ['ES256'],
  token_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_methods_supported: authMethods,
  introspection_endpoint_auth_methods_supported: confidentialMethods,
  code_challenge_methods_supported: ['S256'],
  scopes_supported: [...oidcScopes],
  claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat', 'nonce', 'email', 'email_verified', 'name', 'svc'],
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  claims_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
});
