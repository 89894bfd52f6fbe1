import { casesOf, type NegativeCase } from './case.ts';
import { basicOf } from './clients.ts';
import { outcomeOf } from './outcome.ts';
import type { Fields, IssuerWorld } from './world.ts';

const client = '401 invalid_client';
const request = '400 invalid_request';

type Sent = { form?: (token: string) => Fields; body?: (token: string) => string; headers?: Fields; method?: string };
/** Sends an access token to an endpoint in a way that a case describes. */
const sendTo =
  (path: string, { form = (token) => ({ token }), body, headers = {}, method = 'POST' }: Sent) =>
  async (world: IssuerWorld) => {
    const { access_token } = await world.tokensOf();
    const text = body?.(access_token) ?? String(new URLSearchParams(form(access_token)));
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await world.send({
      method,
      path,
      headers: { ...type, ...headers },
      ...(method !== 'GET' && { body: text }),
    });
    // A refused revocation leaves the token as it was.
    const isUsable = outcomeOf(await world.userinfo(access_token)) === '200';
    return [outcomeOf(answer), isUsable ? 'usable' : 'dead'];
  };
const as = (clientId: string) => ({ authorization: basicOf(clientId) });

const wrong = (path: string, source: string) =>
  casesOf([
    [`${path} without a client`, source, sendTo(path, {}), client, 'usable'],
    [
      `${path} with a wrong secret`,
      source,
      sendTo(path, { headers: { authorization: basicOf('notes', 'wrong') } }),
      client,
      'usable',
    ],
    [
      `${path} with an assertion`,
      source,
      sendTo(path, { form: (token) => ({ token, client_id: 'notes', client_assertion: 'a.b.' }) }),
      client,
      'usable',
    ],
    [`${path} without a token`, source, sendTo(path, { headers: as('notes'), form: () => ({}) }), request, 'usable'],
    [
      `${path} with a second token`,
      'RFC 6749, 3.2',
      sendTo(path, { headers: as('notes'), body: (token) => `token=${token}&token=a` }),
      request,
      'usable',
    ],
    [
      `${path} with JSON`,
      source,
      sendTo(path, { headers: { ...as('notes'), 'content-type': 'application/json' } }),
      request,
      'usable',
    ],
    [
      `${path} by GET`,
      source,
      sendTo(path, { headers: as('notes'), method: 'GET' }),
      '405 method_not_allowed',
      'usable',
    ],
    [
      `${path} with a body above 32 KiB`,
      'RFC 9110, 15.5.14',
      sendTo(path, { headers: as('notes'), form: (token) => ({ token, a: 'a'.repeat(32_768) }) }),
      '413 request_too_large',
      'usable',
    ],
  ]);

const own = casesOf([
  [
    'an introspection by a public client',
    'RFC 7662, 2.1',
    sendTo('/oauth/introspect', { form: (token) => ({ token, client_id: 'board' }) }),
    client,
    'usable',
  ],
  [
    'an introspection by a public client that names another in the header',
    'RFC 7662, 2.1',
    sendTo('/oauth/introspect', { form: (token) => ({ token, client_id: 'board' }), headers: as('notes') }),
    client,
    'usable',
  ],
  [
    'an introspection with the token itself as credential',
    'RFC 7662, 2.1',
    async (world) => {
      const { access_token: token } = await world.tokensOf();
      return [outcomeOf(await world.post('/oauth/introspect', { token }, { authorization: `Bearer ${token}` }))];
    },
    request,
  ],
  [
    'a revocation by another client',
    'RFC 7009, 2.1',
    sendTo('/oauth/revoke', { headers: as('tools') }),
    '200',
    'usable',
  ],
  [
    'a revocation by a public client',
    'RFC 7009, 2.1',
    sendTo('/oauth/revoke', { form: (token) => ({ token, client_id: 'board' }) }),
    '200',
    'usable',
  ],
  [
    'a revoked access token at every place',
    'RFC 7009, 2.1',
    async (world) => {
      const { access_token: token } = await world.tokensOf({ changes: { scope: 'openid capsules:read' } });
      await world.postAs('notes', '/oauth/revoke', { token });
      return [await world.userinfo(token), await world.introspect(token), await world.readApi(token)].map(outcomeOf);
    },
    '401 invalid_token',
    'inactive',
    '401 invalid_token',
  ],
  [
    'a token that is revoked with a wrong hint',
    'RFC 7009, 2.1',
    async (world) => {
      const { access_token: token } = await world.tokensOf();
      await world.postAs('notes', '/oauth/revoke', { token, token_type_hint: 'refresh_token' });
      return [outcomeOf(await world.userinfo(token))];
    },
    '401 invalid_token',
  ],
  [
    'a token that is revoked with an unknown hint',
    'RFC 7009, 2.2.1',
    async (world) => {
      const { access_token: token } = await world.tokensOf();
      await world.postAs('notes', '/oauth/revoke', { token, token_type_hint: 'unknown' });
      return [outcomeOf(await world.userinfo(token))];
    },
    '401 invalid_token',
  ],
]);

export const tokenServiceCases: readonly NegativeCase[] = [
  ...wrong('/oauth/revoke', 'RFC 7009, 2.1'),
  ...wrong('/oauth/introspect', 'RFC 7662, 2.1'),
  ...own,
];
