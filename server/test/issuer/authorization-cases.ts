import { authorizationCases, casesOf, type NegativeCase } from './case.ts';
import { outcomeOf, publicUrl } from './outcome.ts';
import { authorizationOf, type IssuerWorld } from './world.ts';

const core = 'OpenID Connect Core 1.0, 3.1.2.1';
const once = 'RFC 6749, 3.1';
const invalid = 'redirect invalid_request';

const responses = authorizationCases([
  ['the implicit flow', 'RFC 9700, 2.1.2', { response_type: 'token' }, 'redirect unsupported_response_type'],
  [
    'the implicit flow of OpenID Connect',
    'RFC 9700, 2.1.2',
    { response_type: 'id_token' },
    'redirect unsupported_response_type',
  ],
  ['the hybrid flow', 'RFC 9700, 2.1.2', { response_type: 'code id_token' }, 'redirect unsupported_response_type'],
  [
    'the hybrid flow with a token',
    'RFC 9700, 2.1.2',
    { response_type: 'code token' },
    'redirect unsupported_response_type',
  ],
  [
    'no response',
    'OAuth 2.0 Multiple Response Types, 4',
    { response_type: 'none' },
    'redirect unsupported_response_type',
  ],
  ['a response type in upper case', 'RFC 6749, 3.1.1', { response_type: 'CODE' }, 'redirect unsupported_response_type'],
  ['an empty response type', 'RFC 6749, 3.1.1', { response_type: '' }, invalid],
  ['a missing response type', 'RFC 6749, 4.1.2.1', { response_type: undefined }, invalid],
  ['a second response type', once, 'response_type=token', invalid],
  ['an answer as a form', 'OAuth 2.0 Form Post Response Mode, 2', { response_mode: 'form_post' }, invalid],
  ['an answer as a message', 'OAuth 2.0 Multiple Response Types, 2.1', { response_mode: 'web_message' }, invalid],
  ['a signed answer', 'OAuth 2.0 JWT Secured Authorization Response Mode, 2.3', { response_mode: 'jwt' }, invalid],
  ['a second response mode', once, 'response_mode=query&response_mode=fragment', invalid],
]);

const parameters = authorizationCases([
  ['a scope without openid', core, { scope: 'profile', nonce: undefined }, 'redirect invalid_scope'],
  ['a missing scope', core, { scope: undefined, nonce: undefined }, 'redirect invalid_scope'],
  ['an empty scope', 'RFC 6749, 3.3', { scope: '', nonce: undefined }, 'redirect invalid_scope'],
  ['a scope of another client', 'RFC 6749, 3.3', { scope: 'openid capsules:write' }, 'redirect invalid_scope'],
  ['an unknown scope', 'RFC 6749, 3.3', { scope: 'openid admin' }, 'redirect invalid_scope'],
  ['the scope address', 'docs/sign-in-for-apps.md', { scope: 'openid address' }, 'redirect invalid_scope'],
  ['the scope phone', 'docs/sign-in-for-apps.md', { scope: 'openid phone' }, 'redirect invalid_scope'],
  ['a scope in upper case', 'RFC 6749, 3.3', { scope: 'openid PROFILE' }, 'redirect invalid_scope'],
  ['scopes with a tab between them', 'RFC 6749, 3.3', { scope: 'openid\tprofile' }, 'redirect invalid_scope'],
  ['a second scope parameter', once, 'scope=openid+capsules:write', invalid],
  ['a missing state', 'RFC 6749, 10.12', { state: undefined }, invalid],
  ['an empty state', 'RFC 6749, 10.12', { state: '' }, invalid],
  ['a state of 513 characters', 'RFC 6749, 10.12', { state: 's'.repeat(513) }, invalid],
  ['a second state', once, 'state=other', invalid],
  ['a nonce of 513 characters', core, { nonce: 'n'.repeat(513) }, invalid],
  ['an empty nonce', core, { nonce: '' }, invalid],
  ['a second nonce', once, 'nonce=other', invalid],
  ['no PKCE', 'RFC 9700, 2.1.1', { code_challenge: undefined, code_challenge_method: undefined }, invalid],
  ['a method without a challenge', 'RFC 7636, 4.4.1', { code_challenge: undefined }, invalid],
  ['an empty challenge', 'RFC 7636, 4.4.1', { code_challenge: '' }, invalid],
  [
    'a challenge without a method',
    'RFC 7636, 4.3 (its default is plain)',
    { code_challenge_method: undefined },
    invalid,
  ],
  ['the method plain', 'RFC 9700, 2.1.1', { code_challenge_method: 'plain' }, invalid],
  ['an unknown method', 'RFC 7636, 4.4.1', { code_challenge_method: 'S512' }, invalid],
  ['a method in lower case', 'RFC 7636, 4.3', { code_challenge_method: 's256' }, invalid],
  ['a challenge of 42 characters', 'RFC 7636, 4.2', { code_challenge: 'a'.repeat(42) }, invalid],
  ['a challenge of 44 characters', 'RFC 7636, 4.2', { code_challenge: 'a'.repeat(44) }, invalid],
  ['a challenge with padding', 'RFC 7636, appendix A', { code_challenge: `${'a'.repeat(42)}=` }, invalid],
  ['a challenge in the other base64', 'RFC 7636, appendix A', { code_challenge: `${'a'.repeat(42)}+` }, invalid],
  ['a second challenge', once, `code_challenge=${'b'.repeat(43)}`, invalid],
  ['a second method', 'RFC 9700, 2.1.1; RFC 6749, 3.1', 'code_challenge_method=plain', invalid],
  ['a forced consent', core, { prompt: 'consent' }, invalid],
  ['the choice of an account', core, { prompt: 'select_account' }, invalid],
  ['none with another prompt', core, { prompt: 'none login' }, invalid],
  ['a prompt in upper case', core, { prompt: 'NONE' }, invalid],
  ['an empty prompt', core, { prompt: '' }, invalid],
  ['a second prompt', once, 'prompt=none&prompt=login', invalid],
  ['a negative maximum age', core, { max_age: '-1' }, invalid],
  ['a maximum age that is not a number', core, { max_age: 'an hour' }, invalid],
  ['a second maximum age', once, 'max_age=1&max_age=2', invalid],
  ['an empty Workspace', 'docs/sign-in-for-apps.md', { workspace_id: '' }, invalid],
  ['a Workspace with a line break', 'docs/sign-in-for-apps.md', { workspace_id: 'ws_1\n' }, invalid],
  ['a Workspace with a NUL', 'docs/sign-in-for-apps.md', { workspace_id: 'ws_1\0' }, invalid],
  ['a Workspace with a control character of C1', 'docs/sign-in-for-apps.md', { workspace_id: 'ws_1\u0085' }, invalid],
  ['a Workspace of 257 characters', 'docs/sign-in-for-apps.md', { workspace_id: 'w'.repeat(257) }, invalid],
  ['a second Workspace', 'docs/sign-in-for-apps.md', 'workspace_id=ws_other', invalid],
  [
    'an unknown Workspace',
    'docs/sign-in-for-apps.md',
    { workspace_id: `ws_${'0'.repeat(15)}` },
    'redirect access_denied',
  ],
]);

const unsigned = (claims: object, header: object = { alg: 'none' }) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
const request = { client_id: 'notes', redirect_uri: 'https://evil.example', response_type: 'code', scope: 'openid' };

const objects = authorizationCases([
  ['a request object without a signature', `${core}; RFC 9101, 10.5`, { request: unsigned(request) }, invalid],
  [
    'a request object of HS256',
    'OpenID Connect Core 1.0, 6.1',
    { request: `${unsigned(request, { alg: 'HS256' })}c2ln` },
    invalid,
  ],
  [
    'the address of a request object',
    'OpenID Connect Core 1.0, 6.2; RFC 9101, 10.4',
    { request_uri: 'https://evil.example/a' },
    invalid,
  ],
  ['the address of a pushed request', 'RFC 9126, 4', { request_uri: 'urn:ietf:params:oauth:request_uri:a' }, invalid],
  ['the metadata of a self-issued provider', 'OpenID Connect Core 1.0, 7.2.1', { registration: '{}' }, invalid],
  [
    'an ID token hint without a signature',
    `${core}; RFC 8725, 3.2`,
    { id_token_hint: unsigned({ iss: 'https://ground.example', sub: 'a', aud: 'notes' }) },
    invalid,
  ],
  ['an ID token hint that is not a JWT', core, { id_token_hint: 'not-a-token' }, invalid],
]);

const clients = authorizationCases([
  ['an unknown client', 'RFC 6749, 4.1.2.1', { client_id: 'unknown' }, '400 invalid_client'],
  ['a missing client', 'RFC 6749, 4.1.2.1', { client_id: undefined }, '400 invalid_request'],
  ['an empty client', 'RFC 6749, 4.1.2.1', { client_id: '' }, '400 invalid_request'],
  ['a client in upper case', 'RFC 6749, 2.2', { client_id: 'NOTES' }, '400 invalid_client'],
  ['a second client', once, 'client_id=journal', '400 invalid_request'],
  [
    'the redirect URI of the client that is named',
    'RFC 9700, 4.4',
    { client_id: 'journal' },
    '400 invalid_redirect_uri',
  ],
]);

const browsers = casesOf([
  [
    'an authorization by POST',
    'docs/sign-in-for-apps.md',
    async (world: IssuerWorld) => {
      const { cookie } = await world.owner();
      const valid = authorizationOf('notes', world.server.workspaceId);
      return [outcomeOf(await world.post('/oauth/authorize', valid, { cookie, origin: publicUrl }))];
    },
    '405 method_not_allowed',
  ],
  ...['iframe', 'image', 'script', 'empty'].map(
    (destination) =>
      [
        `an authorization in the destination ${destination}`,
        'RFC 9700, 4.16',
        async (world: IssuerWorld) => {
          const valid = authorizationOf('notes', world.server.workspaceId);
          return [outcomeOf(await world.authorize(valid, await world.owner(), { 'sec-fetch-dest': destination }))];
        },
        '400 invalid_request',
      ] as const,
  ),
]);

export const authorizationRequestCases: readonly NegativeCase[] = [
  ...responses,
  ...parameters,
  ...objects,
  ...clients,
  ...browsers,
];
