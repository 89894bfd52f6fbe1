import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locationOf, outcomeOf } from '../../../test/issuer/outcome.ts';
import {
  authorizationOf,
  type Changes,
  changed,
  exchangeOf,
  type IssuerWorld,
  type Person,
  startIssuerWorld,
  type Tokens,
} from '../../../test/issuer/world.ts';
import { setUpOwner } from '../../../test/people.ts';

let world: IssuerWorld;
let person: Person;
beforeAll(async () => {
  world = await startIssuerWorld();
  await setUpOwner(world.server);
  person = await world.owner();
  await world.codeOf({ changes: { scope: 'openid profile email offline_access' } });
});
afterAll(() => world.close());

const claimsOf = (idToken: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
const authorize = (changes: Changes) =>
  world.authorize(changed(authorizationOf('notes', world.server.workspaceId), changes), person);

describe('an authorization request', () => {
  it.each<[string, Changes]>([
    ['without a nonce', { nonce: undefined }],
    ['with the scopes in another order', { scope: 'offline_access email openid profile' }],
    ['with the display page', { display: 'page' }],
    ['with the display popup', { display: 'popup' }],
    ['with an unknown parameter', { extra: 'foobar' }],
    ['with a login hint', { login_hint: 'ada@example.com' }],
    ['with languages of the screens', { ui_locales: 'se' }],
    ['with languages of the claims', { claims_locales: 'se' }],
    ['with classes of authentication', { acr_values: '1 2' }],
    ['with the parameter claims', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ['without a prompt, for a person who has consented', { prompt: 'none' }],
    ['with a maximum age that the session has not reached', { max_age: '10000' }],
  ])('%s is accepted, and its code gives an ID token', async (_, changes) => {
    const { id_token: idToken } = await world.tokensOf({ person, changes });
    expect(claimsOf(idToken)).toMatchObject({ iss: 'https://ground.example', aud: 'notes' });
  });

  it('without a nonce leads to an ID token without one, and with a nonce to the same one', async () => {
    const [without, same] = [
      await world.tokensOf({ person, changes: { nonce: undefined } }),
      await world.tokensOf({ person, changes: { nonce: 'n-1' } }),
    ].map(({ id_token }) => claimsOf(id_token)['nonce']);
    expect([without, same]).toEqual([undefined, 'n-1']);
  });

  it('with a maximum age leads to an ID token with the time of the sign-in', async () => {
    const { id_token } = await world.tokensOf({ person, changes: { max_age: '10000' } });
    expect(claimsOf(id_token)['auth_time']).toBe(Math.floor(world.clock.now() / 1_000));
  });

  it('with an ID token as hint is accepted for its own account, and login_required for another', async () => {
    const { id_token: hint } = await world.tokensOf({ person });
    expect(outcomeOf(await authorize({ prompt: 'none', id_token_hint: hint }))).toBe('redirect code');
    const other = await world.member('viewer');
    const fields = { ...authorizationOf('notes', world.server.workspaceId), prompt: 'none', id_token_hint: hint };
    expect(outcomeOf(await world.authorize(fields, other))).toBe('redirect login_required');
  });

  it.each<[string, Changes]>([
    ['with the prompt login', { prompt: 'login' }],
    ['with a maximum age that is over', { max_age: '0' }],
  ])('%s is accepted after one new sign-in, whose time is in the ID token', async (_, changes) => {
    world.clock.advance(5_000);
    const first = await authorize(changes);
    expect(outcomeOf(first)).toBe('sign-in');
    const back = new URL(locationOf(first).searchParams.get('return') ?? '', 'https://ground.example');
    world.clock.advance(5_000);
    const again = await world.owner();
    expect(outcomeOf(await world.authorize(back.search.slice(1), person))).toBe('sign-in');
    const code = locationOf(await world.authorize(back.search.slice(1), again)).searchParams.get('code') ?? '';
    const { json } = await world.postAs('notes', '/oauth/token', exchangeOf('notes', code));
    expect(claimsOf((json as { id_token: string }).id_token)['auth_time']).toBe(Math.floor(world.clock.now() / 1_000));
  });
});

describe('the claims of a scope', () => {
  it.each([
    ['profile', 'name'],
    ['email', 'email'],
  ])('%s are read at UserInfo, and absent without it', async (scope, claim) => {
    const [withScope, without] = [
      await world.tokensOf({ person, changes: { scope: `openid ${scope}` } }),
      await world.tokensOf({ person, changes: { scope: 'openid' } }),
    ];
    expect((await world.userinfo(withScope.access_token)).json).toHaveProperty(claim);
    expect((await world.userinfo(without.access_token)).json).not.toHaveProperty(claim);
  });
});

it('names the role of the moment in each ID token and at UserInfo', async () => {
  const member = await world.member('admin');
  const first = await world.tokensOf({ person: member });
  const { workspaceId } = world.server;
  const params = { workspaceId, subject: member.subject };
  await (await world.owner()).api.changeMember({ params, body: { role: 'viewer' } });
  const second = (await world.refresh(first.refresh_token)).json as Tokens;
  const roles = [first, second].map(({ id_token }) => claimsOf(id_token)['svc']);
  expect(roles).toEqual(['admin', 'viewer'].map((role) => ({ workspace_id: workspaceId, role })));
  expect((await world.userinfo(first.access_token)).json).toMatchObject({ svc: { role: 'viewer' } });
});

describe('a code', () => {
  it('is refused at its second use after 30 seconds, and ends what the first use gave', async () => {
    const form = exchangeOf('notes', await world.codeOf({ person }));
    const { json } = await world.postAs('notes', '/oauth/token', form);
    world.clock.advance(30_000);
    expect(outcomeOf(await world.postAs('notes', '/oauth/token', form))).toBe('400 invalid_grant');
    expect(outcomeOf(await world.userinfo((json as { access_token: string }).access_token))).toBe('401 invalid_token');
  });
});
