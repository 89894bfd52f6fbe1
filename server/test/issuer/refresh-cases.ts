import { sha256Hex } from '#server/kernel/digest';
import { tokenPrefixes } from '#shared/vendor';
import { casesOf, type NegativeCase } from './case.ts';
import { outcomeOf } from './outcome.ts';
import { type Changes, changed, type IssuerWorld, type Tokens } from './world.ts';

const grant = '400 invalid_grant';
const request = '400 invalid_request';

/** Refreshes a new token with changes to the form, as the client that is named. */
const changedRefresh =
  (changes: Changes, clientId = 'notes') =>
  async (world: IssuerWorld) => {
    const { refresh_token } = await world.tokensOf();
    const form = changed({ grant_type: 'refresh_token', refresh_token }, changes);
    return [outcomeOf(await world.postAs(clientId, '/oauth/token', form))];
  };

/** Refreshes with something else in the place of the refresh token. */
const otherValue = (select: (tokens: Tokens) => string) => async (world: IssuerWorld) => [
  outcomeOf(await world.refresh(select(await world.tokensOf()))),
];

const values = casesOf([
  [
    'an unknown refresh token',
    'RFC 6749, 5.2',
    changedRefresh({ refresh_token: `${tokenPrefixes.refresh}unknown` }),
    grant,
  ],
  ['an empty refresh token', 'RFC 6749, 3.2', changedRefresh({ refresh_token: '' }), request],
  ['a missing refresh token', 'RFC 6749, 6', changedRefresh({ refresh_token: undefined }), request],
  ['an access token as refresh token', 'RFC 6749, 6', otherValue(({ access_token }) => access_token), grant],
  ['an ID token as refresh token', 'RFC 9700, 2.2.2', otherValue(({ id_token }) => id_token), grant],
  [
    'a refresh token without its last character',
    'RFC 6749, 10.10',
    otherValue(({ refresh_token }) => refresh_token.slice(0, -1)),
    grant,
  ],
  [
    'a refresh token with another prefix',
    'RFC 6749, 10.10',
    otherValue(({ refresh_token }) => refresh_token.replace(tokenPrefixes.refresh, tokenPrefixes.access)),
    grant,
  ],
  [
    'a refresh token with a space behind it',
    'RFC 6749, appendix A.17',
    otherValue(({ refresh_token }) => `${refresh_token} `),
    grant,
  ],
  [
    'the hash of a refresh token',
    'RFC 6819, 5.1.4.1.3',
    async (world) => {
      const { refresh_token } = await world.tokensOf();
      return [outcomeOf(await world.refresh(sha256Hex(refresh_token)))];
    },
    grant,
  ],
]);

const scopes = casesOf([
  [
    'a scope that was not granted at a refresh',
    'RFC 6749, 6',
    changedRefresh({ scope: 'openid profile' }),
    '400 invalid_scope',
  ],
  [
    'a scope of another client at a refresh',
    'RFC 6749, 6',
    changedRefresh({ scope: 'openid capsules:write' }),
    '400 invalid_scope',
  ],
  ['an unknown scope at a refresh', 'RFC 6749, 6', changedRefresh({ scope: 'openid admin' }), '400 invalid_scope'],
  [
    'a scope without openid at a refresh',
    'OpenID Connect Core 1.0, 12.1',
    changedRefresh({ scope: 'offline_access' }),
    '400 invalid_scope',
  ],
  ['an empty scope at a refresh', 'RFC 6749, 3.3', changedRefresh({ scope: '' }), '400 invalid_scope'],
]);

const clients = casesOf([
  ['a refresh token of another client', 'RFC 6749, 6; RFC 6749, 10.4', changedRefresh({}, 'tools'), grant],
  [
    'a refresh token of another client at a client that posts its secret',
    'RFC 6749, 6',
    changedRefresh({}, 'journal'),
    grant,
  ],
  ['a refresh token of a confidential client at a public one', 'RFC 6749, 10.4', changedRefresh({}, 'board'), grant],
  [
    'a refresh without a client',
    'RFC 6749, 6',
    async (world) => {
      const { refresh_token } = await world.tokensOf();
      return [outcomeOf(await world.post('/oauth/token', { grant_type: 'refresh_token', refresh_token }))];
    },
    '401 invalid_client',
  ],
  [
    'a refresh of a confidential client without its secret',
    'RFC 6749, 6',
    async (world) => {
      const { refresh_token } = await world.tokensOf();
      const form = { grant_type: 'refresh_token', refresh_token, client_id: 'notes' };
      return [outcomeOf(await world.post('/oauth/token', form))];
    },
    '401 invalid_client',
  ],
  [
    'a second refresh token in the form',
    'RFC 6749, 3.2',
    async (world) => {
      const { refresh_token } = await world.tokensOf({ clientId: 'board' });
      const form = `grant_type=refresh_token&client_id=board&refresh_token=${refresh_token}&refresh_token=a`;
      return [outcomeOf(await world.post('/oauth/token', form))];
    },
    request,
  ],
]);

const chains = casesOf([
  [
    'a spent refresh token, with its whole chain',
    'RFC 9700, 4.14.2',
    async (world) => {
      const first = await world.tokensOf();
      const second = (await world.refresh(first.refresh_token)).json as Tokens;
      const spent = await world.refresh(first.refresh_token);
      const after = [
        await world.refresh(second.refresh_token),
        await world.userinfo(second.access_token),
        await world.userinfo(first.access_token),
      ];
      return [spent, ...after].map(outcomeOf);
    },
    grant,
    grant,
    '401 invalid_token',
    '401 invalid_token',
  ],
  [
    'the first token of a chain of three',
    'RFC 9700, 4.14.2',
    async (world) => {
      const first = await world.tokensOf({ clientId: 'board' });
      const second = (await world.refresh(first.refresh_token, 'board')).json as Tokens;
      const third = (await world.refresh(second.refresh_token, 'board')).json as Tokens;
      const spent = await world.refresh(first.refresh_token, 'board');
      return [outcomeOf(spent), outcomeOf(await world.refresh(third.refresh_token, 'board'))];
    },
    grant,
    grant,
  ],
  [
    'a revoked refresh token, with its whole chain',
    'RFC 7009, 2.1',
    async (world) => {
      const first = await world.tokensOf();
      const second = (await world.refresh(first.refresh_token)).json as Tokens;
      await world.postAs('notes', '/oauth/revoke', { token: second.refresh_token });
      return [
        outcomeOf(await world.refresh(second.refresh_token)),
        outcomeOf(await world.userinfo(second.access_token)),
      ];
    },
    grant,
    '401 invalid_token',
  ],
]);

export const refreshCases: readonly NegativeCase[] = [...values, ...scopes, ...clients, ...chains];
