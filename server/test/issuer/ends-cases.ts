import { addWorkspace } from '../second-workspace.ts';
import { makeToken } from '../tokens.ts';
import { casesOf, type NegativeCase } from './case.ts';
import { locationOf, outcomeOf } from './outcome.ts';
import { authorizationOf, type Changes, exchangeOf, type IssuerWorld, type Person, type Tokens } from './world.ts';

const grant = '400 invalid_grant';
const dead = '401 invalid_token';
const request = (world: IssuerWorld, person: Person) =>
  world.authorize(authorizationOf('notes', world.server.workspaceId), person);

type Loss = (world: IssuerWorld, person: Person) => Promise<unknown>;
/** Ways in which an account loses its authority in the Workspace. */
const losses: Readonly<Record<string, { source: string; lose: Loss }>> = {
  'the membership is lost': {
    source: 'docs/sign-in-for-apps.md',
    lose: async (world, { subject }) =>
      (await world.owner()).api.removeMember({ params: { workspaceId: world.server.workspaceId, subject } }),
  },
  'the membership is lost and restored': {
    source: 'docs/sign-in-for-apps.md',
    async lose(world, { subject }) {
      const { api } = await world.owner();
      const params = { workspaceId: world.server.workspaceId, subject };
      await api.removeMember({ params });
      await api.addMember({ params, body: { accountId: subject, role: 'admin' } });
    },
  },
  'the consent is withdrawn': {
    source: 'docs/sign-in-for-apps.md',
    async lose(_, { api }) {
      const { consents } = (await api.listConsents({})).body;
      await api.withdrawConsent({ params: { consentId: consents[0]?.id ?? '' } });
    },
  },
};

const lossCases = Object.entries(losses).flatMap(([name, { source, lose }]) =>
  casesOf([
    [
      `a code after ${name}`,
      source,
      async (world) => {
        const person = await world.member('admin');
        const code = await world.codeOf({ person });
        await lose(world, person);
        return [outcomeOf(await world.postAs('notes', '/oauth/token', exchangeOf('notes', code)))];
      },
      grant,
    ],
    [
      `a refresh token after ${name}`,
      source,
      async (world) => {
        const person = await world.member('admin');
        const { refresh_token } = await world.tokensOf({ person });
        await lose(world, person);
        return [outcomeOf(await world.refresh(refresh_token)), outcomeOf(await world.introspect(refresh_token))];
      },
      grant,
      'inactive',
    ],
    [
      `an access token after ${name}`,
      source,
      async (world) => {
        const person = await world.member('admin');
        const { access_token: token } = await world.tokensOf({ person, changes: { scope: 'openid capsules:read' } });
        await lose(world, person);
        return [await world.userinfo(token), await world.introspect(token), await world.readApi(token)].map(outcomeOf);
      },
      dead,
      'inactive',
      dead,
    ],
  ]),
);

const authorizations = casesOf([
  [
    'an authorization after the membership is lost',
    'docs/sign-in-for-apps.md',
    async (world) => {
      const person = await world.member('admin');
      await world.codeOf({ person });
      await losses['the membership is lost']?.lose(world, person);
      return [outcomeOf(await request(world, person))];
    },
    'redirect access_denied',
  ],
  [
    'an authorization of a person who was never a member',
    'docs/sign-in-for-apps.md',
    async (world) => {
      const outsider = await world.signIn((await world.server.join(undefined)).subject);
      return [outcomeOf(await request(world, outsider))];
    },
    'redirect access_denied',
  ],
  [
    'an authorization for an archived Workspace',
    'docs/sign-in-for-apps.md',
    async (world) => {
      const owner = await world.owner();
      const workspaceId = world.server.ledger((db) => addWorkspace(db, [owner.subject]));
      await owner.api.updateWorkspace({ params: { workspaceId }, body: { archived: true } });
      return [outcomeOf(await world.authorize(authorizationOf('notes', workspaceId), owner))];
    },
    'redirect access_denied',
  ],
]);

/** Opens a page of consent, and allows the client after a loss. */
const allowAfter = (lose: Loss) => async (world: IssuerWorld) => {
  const person = await world.member('admin');
  const page = locationOf(await request(world, person)).pathname;
  await lose(world, person);
  return [outcomeOf(await world.decide(page, person))];
};

const consents = casesOf([
  [
    'a consent after the membership is lost',
    'docs/sign-in-for-apps.md',
    allowAfter(async (world, { subject }) =>
      (await world.owner()).api.removeMember({ params: { workspaceId: world.server.workspaceId, subject } }),
    ),
    'redirect access_denied',
  ],
  [
    'a consent after the session has ended',
    'docs/sign-in-for-apps.md',
    allowAfter((_, { api }) => api.endSession({})),
    '400 page',
  ],
]);

const personalTokens = casesOf([
  [
    'a personal access token that is revoked',
    'RFC 7009, 2',
    async (world) => {
      const { token, id } = await makeToken(world.server, { scopes: ['read'] });
      await (await world.owner()).api.revokeToken({ params: { tokenId: id } });
      return [outcomeOf(await world.userinfo(token)), outcomeOf(await world.introspect(token))];
    },
    dead,
    'inactive',
  ],
  [
    'a personal access token of a Workspace after the membership is lost',
    'docs/sign-in-for-apps.md',
    async (world) => {
      const person = await world.member('admin');
      const { workspaceId } = world.server;
      const input = { subject: person.subject, scopes: ['read'], workspace_id: workspaceId };
      const { token } = await makeToken(world.server, input);
      await (await world.owner()).api.removeMember({ params: { workspaceId, subject: person.subject } });
      return [outcomeOf(await world.userinfo(token)), outcomeOf(await world.introspect(token))];
    },
    dead,
    'inactive',
  ],
]);

/** Uses a token after a time. */
const afterTime =
  (ms: number, changes: Changes, use: (world: IssuerWorld, tokens: Tokens) => Promise<string[]>) =>
  async (world: IssuerWorld) => {
    const tokens = await world.tokensOf({ changes });
    world.clock.advance(ms);
    return use(world, tokens);
  };

/** They move the clock, so no case of a session follows them. */
const times = casesOf([
  [
    'a code after five minutes',
    'RFC 6749, 4.1.2',
    async (world) => {
      const code = await world.codeOf();
      world.clock.advance(300_000);
      return [outcomeOf(await world.postAs('notes', '/oauth/token', exchangeOf('notes', code)))];
    },
    grant,
  ],
  [
    'an access token after five minutes',
    'RFC 6749, 5.1',
    afterTime(300_000, { scope: 'openid capsules:read' }, async (world, { access_token: token }) =>
      [await world.userinfo(token), await world.introspect(token), await world.readApi(token)].map(outcomeOf),
    ),
    dead,
    'inactive',
    dead,
  ],
  [
    'a page of consent after ten minutes',
    'docs/sign-in-for-apps.md',
    async (world) => {
      const person = await world.member('viewer');
      const page = new URL((await request(world, person)).headers.location ?? '', 'https://ground.example').pathname;
      world.clock.advance(600_000);
      return [outcomeOf(await world.get(page, { cookie: person.cookie })), outcomeOf(await world.decide(page, person))];
    },
    '400 page',
    '400 page',
  ],
  [
    'a refresh token after 30 days',
    'RFC 9700, 4.14.2',
    afterTime(2_592_000_000, {}, async (world, { refresh_token }) => [outcomeOf(await world.refresh(refresh_token))]),
    grant,
  ],
  [
    'an authorization with a session that is over',
    'OpenID Connect Core 1.0, 3.1.2.3',
    async (world) => {
      const person = await world.owner();
      world.clock.advance(2_592_000_000);
      const fields = { ...authorizationOf('notes', world.server.workspaceId), prompt: 'none' };
      return [outcomeOf(await world.authorize(fields, person))];
    },
    'redirect login_required',
  ],
]);

export const endCases: readonly NegativeCase[] = [
  ...lossCases,
  ...authorizations,
  ...consents,
  ...personalTokens,
  ...times,
];
