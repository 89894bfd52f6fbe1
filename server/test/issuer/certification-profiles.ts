const folder = 'server/src/domains/issuer';
const accepted = `${folder}/accepted.integration.test.ts`;
const flows = `${folder}/flows.integration.test.ts`;
const refusals = 'server/test/issuer';

/** A test by its file, and the text by which its file names it. */
type NamedTest = readonly [file: string, name: string];
/** A module of the conformance suite: the tests that cover it, or the sentence of the page that excludes it, or both. */
export type CertificationModule = { module: string; tests?: readonly NamedTest[]; excludedBy?: string };

/** The page with the sentences. */
export const rulesPage = 'docs/sign-in-for-apps.md';
const rules = {
  pkce: 'Every request needs PKCE with `S256`.',
  signature: 'ID tokens are signed with ES256, never with RS256, HS256 or `none`.',
  objects: 'Request objects (`request`, `request_uri`) are refused.',
  claims: 'The parameter `claims` has no effect.',
  methods: '`/oauth/authorize` and `/oauth/userinfo` are read with GET only.',
  scopes: 'There are no scopes `address` and `phone`.',
  context: '`acr_values` and `claims_locales` have no effect, and the ID token has no `acr`.',
} as const;

const everyFlow: NamedTest = [flows, 'completes every flow as %s'];

/**
 * The modules of the plans of the OpenID Foundation for the profiles Basic OP and Config OP, in their order. Each module is
 * covered with PKCE, which the suite itself sends in one of them only.
 */
export const certificationModules: readonly CertificationModule[] = [
  { module: 'oidcc-server', tests: [everyFlow] },
  { module: 'oidcc-response-type-missing', tests: [[`${refusals}/authorization-cases.ts`, 'a missing response type']] },
  { module: 'oidcc-idtoken-signature', tests: [everyFlow], excludedBy: rules.signature },
  { module: 'oidcc-idtoken-unsigned', excludedBy: rules.signature },
  { module: 'oidcc-userinfo-get', tests: [everyFlow] },
  {
    module: 'oidcc-userinfo-post-header',
    tests: [[`${refusals}/bearer-cases.ts`, 'a token in the header of a POST of UserInfo']],
    excludedBy: rules.methods,
  },
  {
    module: 'oidcc-userinfo-post-body',
    tests: [[`${refusals}/bearer-cases.ts`, 'a token in the form of UserInfo']],
    excludedBy: rules.methods,
  },
  { module: 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow', tests: [[accepted, 'without a nonce']] },
  { module: 'oidcc-scope-profile', tests: [[accepted, '%s are read at UserInfo, and absent without it']] },
  { module: 'oidcc-scope-email', tests: [[accepted, '%s are read at UserInfo, and absent without it']] },
  {
    module: 'oidcc-scope-address',
    tests: [[`${refusals}/authorization-cases.ts`, 'the scope address']],
    excludedBy: rules.scopes,
  },
  {
    module: 'oidcc-scope-phone',
    tests: [[`${refusals}/authorization-cases.ts`, 'the scope phone']],
    excludedBy: rules.scopes,
  },
  { module: 'oidcc-scope-all', tests: [everyFlow], excludedBy: rules.scopes },
  { module: 'oidcc-ensure-other-scope-order-succeeds', tests: [[accepted, 'with the scopes in another order']] },
  { module: 'oidcc-display-page', tests: [[accepted, 'with the display page']] },
  { module: 'oidcc-display-popup', tests: [[accepted, 'with the display popup']] },
  { module: 'oidcc-prompt-login', tests: [[accepted, 'with the prompt login']] },
  {
    module: 'oidcc-prompt-none-not-logged-in',
    tests: [[`${refusals}/consent-cases.ts`, 'no session without a prompt']],
  },
  { module: 'oidcc-prompt-none-logged-in', tests: [[accepted, 'without a prompt, for a person who has consented']] },
  { module: 'oidcc-max-age-1', tests: [[accepted, 'with a maximum age that is over']] },
  {
    module: 'oidcc-max-age-10000',
    tests: [[accepted, 'with a maximum age leads to an ID token with the time of the sign-in']],
  },
  { module: 'oidcc-ensure-request-with-unknown-parameter-succeeds', tests: [[accepted, 'with an unknown parameter']] },
  {
    module: 'oidcc-id-token-hint',
    tests: [[accepted, 'with an ID token as hint is accepted for its own account, and login_required for another']],
  },
  { module: 'oidcc-login-hint', tests: [[accepted, 'with a login hint']] },
  { module: 'oidcc-ui-locales', tests: [[accepted, 'with languages of the screens']] },
  { module: 'oidcc-claims-locales', tests: [[accepted, 'with languages of the claims']], excludedBy: rules.context },
  {
    module: 'oidcc-ensure-request-with-acr-values-succeeds',
    tests: [[accepted, 'with classes of authentication']],
    excludedBy: rules.context,
  },
  { module: 'oidcc-codereuse', tests: [[`${refusals}/token-cases.ts`, 'a code used twice, with all it led to']] },
  {
    module: 'oidcc-codereuse-30seconds',
    tests: [[accepted, 'is refused at its second use after 30 seconds, and ends what the first use gave']],
  },
  {
    module: 'oidcc-ensure-registered-redirect-uri',
    tests: [[`${refusals}/redirect-cases.ts`, 'a segment behind the path']],
  },
  {
    module: 'oidcc-ensure-post-request-succeeds',
    tests: [[`${refusals}/authorization-cases.ts`, 'an authorization by POST']],
    excludedBy: rules.methods,
  },
  { module: 'oidcc-server-client-secret-post', tests: [everyFlow] },
  {
    module: 'oidcc-request-uri-unsigned',
    tests: [[`${refusals}/authorization-cases.ts`, 'the address of a request object']],
    excludedBy: rules.objects,
  },
  {
    module: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    tests: [[`${refusals}/authorization-cases.ts`, 'a request object without a signature']],
    excludedBy: rules.objects,
  },
  { module: 'oidcc-claims-essential', tests: [[accepted, 'with the parameter claims']], excludedBy: rules.claims },
  { module: 'oidcc-ensure-request-object-with-redirect-uri', excludedBy: rules.objects },
  { module: 'oidcc-refresh-token', tests: [everyFlow] },
  {
    module: 'oidcc-ensure-request-with-valid-pkce-succeeds',
    tests: [everyFlow, [`${refusals}/authorization-cases.ts`, 'no PKCE']],
    excludedBy: rules.pkce,
  },
  {
    module: 'oidcc-discovery-endpoint-verification',
    tests: [[flows, 'reads metadata that match their schemas']],
    excludedBy: rules.signature,
  },
];
