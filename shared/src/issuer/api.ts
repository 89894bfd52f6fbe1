import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { Timestamp } from '../kernel/scalars.ts';
import { limits } from '../limits.ts';

const text = z.string();
const list = z.array(text);

const Metadata = z.strictObject({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  userinfo_endpoint: text,
  revocation_endpoint: text,
  introspection_endpoint: text,
  jwks_uri: text,
  response_types_supported: list,
  response_modes_supported: list,
  grant_types_supported: list,
  subject_types_supported: list,
  id_token_signing_alg_values_supported: list,
  token_endpoint_auth_methods_supported: list,
  revocation_endpoint_auth_methods_supported: list,
  introspection_endpoint_auth_methods_supported: list,
  code_challenge_methods_supported: list,
  scopes_supported: list,
  claims_supported: list,
  request_parameter_supported: z.boolean(),
  request_uri_parameter_supported: z.boolean(),
  claims_parameter_supported: z.boolean(),
  authorization_response_iss_parameter_supported: z.boolean(),
});
export type Metadata = z.infer<typeof Metadata>;

export const PublicKey = z.strictObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: text,
  y: text,
  kid: text,
  use: z.literal('sig'),
  alg: z.literal('ES256'),
});

const common = { base: '', class: 'X', idempotency: 'none', answersAs: 'oauth' } as const;
const form = { rawBody: { headers: ['content-type', 'authorization'] }, maxBodyBytes: limits.formBodyBytes } as const;
const tokens = z.object({ access_token: text, token_type: z.literal('Bearer'), expires_in: z.int(), scope: text });

/** The endpoints of the issuer. Their errors have the form of RFC 6749, 5.2. */
export const issuerApi = defineApi({
  getOpenidConfiguration: {
    method: 'GET',
    base: '',
    path: '/.well-known/openid-configuration',
    summary: 'Metadata of the OpenID Connect issuer',
    class: 'X',
    capability: 'oidc_issuer',
    cache: 'public',
    replies: { 200: Metadata },
  },
  getJwks: {
    method: 'GET',
    base: '',
    path: '/oauth/jwks',
    summary: 'Public keys of the issuer',
    class: 'X',
    capability: 'oidc_issuer',
    cache: 'public',
    replies: { 200: z.strictObject({ keys: z.array(PublicKey) }) },
  },
  authorize: {
    ...common,
    method: 'GET',
    path: '/oauth/authorize',
    summary: 'Sign in at a client: code flow with PKCE',
    capability: 'oidc_issuer',
    rate: 'authorize',
    rawBody: { headers: ['accept', 'sec-fetch-dest'] },
    streams: ['text/html'],
    replies: { 302: z.undefined(), 303: z.undefined() },
  },
  exchangeOauthToken: {
    ...common,
    ...form,
    method: 'POST',
    path: '/oauth/token',
    summary: 'Exchange a code or a refresh token',
    capability: 'oidc_issuer',
    rate: 'tokenExchange',
    replies: { 200: tokens.extend({ id_token: text, refresh_token: text.optional() }) },
  },
  getUserinfo: {
    ...common,
    method: 'GET',
    path: '/oauth/userinfo',
    summary: 'Claims about the account of an access token',
    capability: 'oidc_issuer',
    rawBody: { headers: ['authorization'] },
    replies: { 200: z.object({ sub: text, scope: text }) },
  },
  revokeOauthToken: {
    ...common,
    ...form,
    method: 'POST',
    path: '/oauth/revoke',
    summary: 'Revoke a token (RFC 7009)',
    capability: 'oidc_issuer',
    rate: 'tokenExchange',
    replies: { 200: z.unknown() },
  },
  introspectOauthToken: {
    ...common,
    ...form,
    method: 'POST',
    path: '/oauth/introspect',
    summary: 'Describe a token to a client with a secret (RFC 7662)',
    capability: 'oidc_issuer',
    rate: 'tokenExchange',
    replies: { 200: z.object({ active: z.boolean() }) },
  },
  showConsent: {
    ...common,
    method: 'GET',
    path: '/oauth/consent/:consentId',
    summary: 'Page on which an account allows a client',
    capability: 'oidc_issuer',
    params: z.strictObject({ consentId: z.string() }),
    rawBody: { headers: ['accept'] },
    streams: ['text/html'],
    replies: { 303: z.undefined() },
  },
  decideConsent: {
    ...common,
    method: 'POST',
    path: '/oauth/consent/:consentId',
    summary: 'Allow or deny a client',
    capability: 'oidc_issuer',
    params: z.strictObject({ consentId: z.string() }),
    rawBody: { headers: ['content-type', 'origin'] },
    maxBodyBytes: limits.formBodyBytes,
    replies: { 303: z.undefined() },
  },
});

/** The operator's endpoint of the issuer. */
export const issuerOperatorApi = defineApi({
  rotateOidcKey: {
    method: 'POST',
    base: '/internal/v1',
    path: '/oidc/rotations',
    summary: 'Replace the signing key of the issuer; the replaced one stays listed for 24 hours (operator)',
    class: 'Op',
    capability: 'oidc_issuer',
    replies: { 201: z.strictObject({ kid: text, replacedListedUntil: Timestamp }) },
  },
});
