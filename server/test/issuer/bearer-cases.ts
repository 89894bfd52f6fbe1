import type { RawAnswer } from '../harness.ts';
import { casesOf, type NegativeCase } from './case.ts';
import { outcomeOf } from './outcome.ts';
import { createTools, permission } from './tools.ts';
import { cookieOf, type Fields, type IssuerWorld, type Tokens } from './world.ts';

const dead = '401 invalid_token';
type Holder = (tokens: Tokens, world: IssuerWorld) => string | Promise<string>;

const jwtOf = (header: object, claims: object, signature = ''): string =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${signature}`;
const claimsOf = ({ id_token }: Tokens): object =>
  JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as object;
const signatureOf = ({ id_token }: Tokens): string => id_token.split('.')[2] ?? '';

/** Values that are not access tokens, each at every place that expects one. */
const impostors: readonly (readonly [name: string, source: string, impostorOf: Holder])[] = [
  ['a refresh token', 'RFC 6749, 1.5', ({ refresh_token }) => refresh_token],
  ['an ID token', 'OpenID Connect Core 1.0, 2; RFC 9068, 4', ({ id_token }) => id_token],
  ['a code', 'RFC 6749, 1.3.1', (_, world) => world.codeOf()],
  ['an ID token with alg none', 'RFC 8725, 3.2', (tokens) => jwtOf({ alg: 'none' }, claimsOf(tokens))],
  [
    'an ID token with alg HS256',
    'RFC 8725, 2.1',
    (tokens) => jwtOf({ alg: 'HS256' }, claimsOf(tokens), signatureOf(tokens)),
  ],
  [
    'an ID token with an injected kid',
    'RFC 8725, 3.10',
    (tokens) => jwtOf({ alg: 'ES256', kid: "' OR 1=1 --" }, claimsOf(tokens), signatureOf(tokens)),
  ],
  ['an access token without its last character', 'RFC 6750, 3.1', ({ access_token }) => access_token.slice(0, -1)],
  ['an access token in upper case', 'RFC 6750, 2.1', ({ access_token }) => access_token.toUpperCase()],
  ['a secret of a client', 'RFC 6749, 2.3.1', () => 'secret:of'],
];

const bearerCases = (place: string, send: (world: IssuerWorld, token: string) => Promise<string>, refusal: string) =>
  casesOf(
    impostors.map(([name, source, impostorOf]) => [
      `${name} ${place}`,
      source,
      async (world) => [await send(world, await impostorOf(await world.tokensOf(), world))],
      refusal,
    ]),
  );

const atUserinfo = bearerCases('at UserInfo', async (world, token) => outcomeOf(await world.userinfo(token)), dead);
const atApi = bearerCases('at the API', async (world, token) => outcomeOf(await world.readApi(token)), dead);
const atIntrospection = bearerCases(
  'at the introspection',
  async (world, token) => outcomeOf(await world.introspect(token)),
  'inactive',
);

/** Sends a valid access token to UserInfo in a way that is not supported. */
const userinfoBy =
  (send: (token: string, world: IssuerWorld) => { path?: string; method?: string; headers?: Fields; body?: string }) =>
  async (world: IssuerWorld) => {
    const { access_token } = await world.tokensOf();
    return [outcomeOf(await world.send({ path: '/oauth/userinfo', ...send(access_token, world) }))];
  };
const missing = dead;

const transports = casesOf([
  ['UserInfo without a token', 'RFC 6750, 3.1', userinfoBy(() => ({})), missing],
  [
    'a token in the query of UserInfo',
    'RFC 9700, 4.3.2; RFC 6750, 2.3',
    userinfoBy((token) => ({ path: `/oauth/userinfo?access_token=${token}` })),
    missing,
  ],
  [
    'a token in the header of a POST of UserInfo',
    'docs/sign-in-for-apps.md',
    userinfoBy((token) => ({ method: 'POST', headers: { authorization: `Bearer ${token}` } })),
    '405 method_not_allowed',
  ],
  [
    'a token in the form of UserInfo',
    'RFC 6750, 2.2',
    userinfoBy((token) => ({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `access_token=${token}`,
    })),
    '405 method_not_allowed',
  ],
  [
    'a token in the cookie of UserInfo',
    'RFC 6750, 2',
    userinfoBy((token) => ({ headers: { cookie: cookieOf(token) } })),
    missing,
  ],
  [
    'a token with another scheme',
    'RFC 6750, 2.1',
    userinfoBy((token) => ({ headers: { authorization: `Basic ${token}` } })),
    missing,
  ],
  [
    'a token without a scheme',
    'RFC 6750, 2.1',
    userinfoBy((token) => ({ headers: { authorization: token } })),
    missing,
  ],
  [
    'a token with the scheme DPoP',
    'RFC 9449, 7.1',
    userinfoBy((token) => ({ headers: { authorization: `DPoP ${token}` } })),
    missing,
  ],
  [
    'two spaces before the token',
    'RFC 6750, 2.1',
    userinfoBy((token) => ({ headers: { authorization: `Bearer  ${token}` } })),
    missing,
  ],
  [
    'two tokens in one header',
    'RFC 6750, 2.1',
    userinfoBy((token) => ({ headers: { authorization: `Bearer ${token}, Bearer ${token}` } })),
    missing,
  ],
  [
    'a session at UserInfo',
    'docs/sign-in-for-apps.md',
    userinfoBy((_, { server }) => ({ headers: { authorization: `Bearer ${server.token}` } })),
    dead,
  ],
  [
    'the operator at UserInfo',
    'docs/sign-in-for-apps.md',
    userinfoBy((_, { server }) => ({ headers: { authorization: `Bearer ${server.operatorToken}` } })),
    dead,
  ],
  [
    'a token in the query of the API',
    'RFC 9700, 4.3.2',
    async (world) => {
      const { access_token } = await world.tokensOf();
      return [
        outcomeOf(
          await world.get(`/api/v1/workspaces/${world.server.workspaceId}/capsules?access_token=${access_token}`),
        ),
      ];
    },
    '401 invalid_session',
  ],
]);

/** Sends a valid access token to a route of the API. */
const atRoute =
  (path: (world: IssuerWorld) => string, changes: Record<string, string | undefined>, method = 'GET') =>
  async (world: IssuerWorld) => {
    const { access_token } = await world.tokensOf({ changes });
    const headers = { authorization: `Bearer ${access_token}` };
    return [outcomeOf(await world.send({ method, path: path(world), headers }))];
  };
const capsules = ({ server }: IssuerWorld) => `/api/v1/workspaces/${server.workspaceId}/capsules`;

const authority = casesOf([
  ['a token without a scope of the API', 'RFC 6750, 3.1', atRoute(capsules, {}), '403 insufficient_scope'],
  [
    'a token without a Workspace at the API',
    'docs/sign-in-for-apps.md',
    atRoute(capsules, { scope: 'openid capsules:read', workspace_id: undefined }),
    '403 forbidden',
  ],
  [
    'a token at a Workspace that is not its own',
    'docs/sign-in-for-apps.md',
    atRoute(() => `/api/v1/workspaces/ws_${'0'.repeat(15)}/capsules`, { scope: 'openid capsules:read' }),
    '404 not_found',
  ],
  [
    'a token at the consents of its account',
    'docs/sign-in-for-apps.md',
    atRoute(() => '/api/v1/account/consents', { scope: 'openid capsules:read' }),
    '403 forbidden',
  ],
  [
    'a token at the sessions of its account',
    'docs/sign-in-for-apps.md',
    atRoute(() => '/api/v1/account/sessions', { scope: 'openid capsules:read' }),
    '403 forbidden',
  ],
  [
    'a token at the routes of the operator',
    'docs/sign-in-for-apps.md',
    atRoute(() => '/internal/v1/account-sessions', { scope: 'openid capsules:read' }, 'POST'),
    '401 unauthenticated',
  ],
  [
    'a token that reads only, at a write',
    'RFC 6750, 3.1',
    atRoute(
      ({ server }) => `/api/v1/workspaces/${server.workspaceId}/projects`,
      { scope: 'openid capsules:read' },
      'POST',
    ),
    '403 insufficient_scope',
  ],
]);

/** Issues a token for an Interface of the Workspace and sends it to a place that is not its resource. */
const withInterfaceToken =
  (send: (world: IssuerWorld, token: string) => Promise<RawAnswer>) => async (world: IssuerWorld) => {
    const { params } = await createTools(world.server);
    const { api } = await world.owner();
    const { access_token: token } = (await api.issueInterfaceToken({ params, body: { permission } })).body;
    return [outcomeOf(await send(world, token))];
  };
const interfaces = casesOf([
  ['an Interface token at UserInfo', 'RFC 8707, 3', withInterfaceToken(({ userinfo }, token) => userinfo(token)), dead],
  ['an Interface token at the API', 'RFC 8707, 3', withInterfaceToken(({ readApi }, token) => readApi(token)), dead],
  [
    'an Interface token as refresh token',
    'RFC 8707, 3',
    withInterfaceToken(({ refresh }, token) => refresh(token)),
    '400 invalid_grant',
  ],
]);

export const accessTokenCases: readonly NegativeCase[] = [
  ...atUserinfo,
  ...atApi,
  ...atIntrospection,
  ...transports,
  ...authority,
  ...interfaces,
];
