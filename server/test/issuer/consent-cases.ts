import { ReturnPath } from '#shared/signin/api';
import { tokenPrefixes } from '#shared/vendor';
import { casesOf, type NegativeCase } from './case.ts';
import { locationOf, outcomeOf } from './outcome.ts';
import {
  authorizationOf,
  type Changes,
  changed,
  cookieOf,
  type Fields,
  type IssuerWorld,
  type Person,
  publicUrl,
} from './world.ts';

const page = '400 page';
const own = 'docs/sign-in-for-apps.md';
const formType = 'application/x-www-form-urlencoded';

type Scene = { world: IssuerWorld; path: string; person: Person };
/** Opens a page of consent that a case uses in a wrong way; afterwards the person may still allow the client, or not. */
const onPage =
  (use: (scene: Scene) => Promise<string>, isUsable = true) =>
  async (world: IssuerWorld) => {
    const person = await world.member('viewer');
    const path = locationOf(await world.authorize(authorizationOf('notes', world.server.workspaceId), person)).pathname;
    const result = await use({ world, path, person });
    const after = outcomeOf(await world.decide(path, person));
    return [result, after === (isUsable ? 'redirect code' : page) ? 'as before' : after];
  };
const send = async ({ world, path, person }: Scene, headers: Changes, body = 'decision=allow') => {
  const usual: Fields = { cookie: person.cookie, origin: publicUrl, 'content-type': formType };
  return outcomeOf(await world.send({ method: 'POST', path, headers: changed(usual, headers), body }));
};

const pages = casesOf([
  [
    'a page of consent of another account',
    own,
    onPage(async ({ world, path }) => outcomeOf(await world.get(path, { cookie: (await world.owner()).cookie }))),
    page,
    'as before',
  ],
  [
    'a decision of another account',
    own,
    onPage(async (scene) => send(scene, { cookie: (await scene.world.owner()).cookie })),
    page,
    'as before',
  ],
  [
    'a decision of another session of the account',
    own,
    onPage(async (scene) => send(scene, { cookie: (await scene.world.signIn(scene.person.subject)).cookie })),
    page,
    'as before',
  ],
  ['a decision without a session', own, onPage((scene) => send(scene, { cookie: undefined })), page, 'as before'],
  [
    'a decision with a bearer in place of the cookie',
    own,
    onPage((scene) => send(scene, { cookie: undefined, authorization: `Bearer ${scene.person.token}` })),
    page,
    'as before',
  ],
  [
    'a decision without Origin',
    'RFC 6749, 10.12',
    onPage((scene) => send(scene, { origin: undefined })),
    page,
    'as before',
  ],
  [
    'a decision of another origin',
    'RFC 6749, 10.12',
    onPage((scene) => send(scene, { origin: 'https://evil.example' })),
    '403 csrf_failed',
    'as before',
  ],
  [
    'a decision of the origin of the client',
    'RFC 6749, 10.12',
    onPage((scene) => send(scene, { origin: 'https://notes.example.com' })),
    '403 csrf_failed',
    'as before',
  ],
  [
    'a decision of an opaque origin',
    'RFC 6454, 7.3',
    onPage((scene) => send(scene, { origin: 'null' })),
    '403 csrf_failed',
    'as before',
  ],
  [
    'a decision of the same host over http',
    'RFC 6454, 5',
    onPage((scene) => send(scene, { origin: 'http://ground.example' })),
    '403 csrf_failed',
    'as before',
  ],
  [
    'a decision from a page of another site',
    'RFC 9700, 4.16',
    onPage((scene) => send(scene, { 'sec-fetch-site': 'cross-site' })),
    '403 csrf_failed',
    'as before',
  ],
  ['a missing decision', own, onPage((scene) => send(scene, {}, '')), page, 'as before'],
  ['an unknown decision', own, onPage((scene) => send(scene, {}, 'decision=ALLOW')), page, 'as before'],
  ['two decisions', own, onPage((scene) => send(scene, {}, 'decision=deny&decision=allow')), page, 'as before'],
  [
    'a decision in JSON',
    own,
    onPage((scene) => send(scene, { 'content-type': 'application/json' }, '{"decision":"allow"}')),
    page,
    'as before',
  ],
  [
    'a decision as plain text',
    'RFC 6749, 10.12',
    onPage((scene) => send(scene, { 'content-type': 'text/plain' })),
    page,
    'as before',
  ],
  [
    'a decision in the query',
    own,
    onPage((scene) => send({ ...scene, path: `${scene.path}?decision=allow` }, {}, '')),
    page,
    'as before',
  ],
  ['a page that was allowed', own, onPage((scene) => send(scene, {}), false), 'redirect code', 'as before'],
  [
    'a page that was denied',
    own,
    onPage((scene) => send(scene, {}, 'decision=deny'), false),
    'redirect access_denied',
    'as before',
  ],
  [
    'an unknown page of consent',
    own,
    async (world) => [await send({ world, path: `/oauth/consent/${'a'.repeat(43)}`, person: await world.owner() }, {})],
    page,
  ],
  [
    'a page of consent after the session has ended',
    own,
    async (world) => {
      const person = await world.member('viewer');
      const path = locationOf(
        await world.authorize(authorizationOf('notes', world.server.workspaceId), person),
      ).pathname;
      await person.api.endSession({});
      return [outcomeOf(await world.get(path, { cookie: person.cookie })), await send({ world, path, person }, {})];
    },
    'sign-in',
    page,
  ],
]);

/** Requests an authorization with changes, as a person or without a session. */
const requestBy =
  (
    changes: Changes,
    personOf: (world: IssuerWorld) => Promise<Pick<Person, 'cookie'> | undefined>,
    clientId = 'notes',
  ) =>
  async (world: IssuerWorld) => {
    const fields = changed(authorizationOf(clientId, world.server.workspaceId), changes);
    return [outcomeOf(await world.authorize(fields, (await personOf(world)) ?? {}))];
  };
const core = 'OpenID Connect Core 1.0, 3.1.2.1';
const ofOwner = (world: IssuerWorld) => world.owner();
const unknown = async () => ({ cookie: cookieOf(`${tokenPrefixes.session}${'a'.repeat(43)}`) });

const sessions = casesOf([
  [
    'no session without a prompt',
    core,
    requestBy({ prompt: 'none' }, async () => undefined),
    'redirect login_required',
  ],
  ['an unknown session without a prompt', core, requestBy({ prompt: 'none' }, unknown), 'redirect login_required'],
  [
    'an access token as session',
    'RFC 9700, 2.2',
    async (world) => {
      const { access_token } = await world.tokensOf();
      return requestBy({ prompt: 'none' }, async () => ({ cookie: cookieOf(access_token) }))(world);
    },
    'redirect login_required',
  ],
  [
    'no consent without a prompt',
    core,
    requestBy({ prompt: 'none' }, ofOwner, 'calendar'),
    'redirect consent_required',
  ],
  ['a forced sign-in without a new one', core, requestBy({ prompt: 'login' }, ofOwner), 'sign-in'],
  [
    'a forced sign-in with an invented mark',
    core,
    requestBy({ prompt: 'login', login_mark: '1.aaaa' }, ofOwner),
    'sign-in',
  ],
  ['a forced sign-in with an empty mark', core, requestBy({ prompt: 'login', login_mark: '' }, ofOwner), 'sign-in'],
  [
    'a scope more than the consent',
    core,
    async (world) => {
      const person = await world.member('viewer');
      await world.codeOf({ person });
      return requestBy({ scope: 'openid email', prompt: 'none' }, async () => person)(world);
    },
    'redirect consent_required',
  ],
  [
    'the consent of another Workspace',
    'docs/sign-in-for-apps.md',
    async (world) => {
      const person = await world.member('viewer');
      await world.codeOf({ person });
      return requestBy({ workspace_id: undefined, prompt: 'none' }, async () => person)(world);
    },
    'redirect consent_required',
  ],
]);

/** Values of `/sign-in?return=` that would leave this server. */
const returns = casesOf(
  (
    [
      ['an address of another server', 'https://evil.example'],
      ['an address without a scheme', '//evil.example'],
      ['an address with a backslash', '/\\evil.example'],
      ['an address with two backslashes', '\\\\evil.example'],
      ['an address with a tab', '/\t/evil.example'],
      ['an address with a line break', '/\n/evil.example'],
      ['an address with a space before it', ' //evil.example'],
      ['a backslash inside the path', '/oauth\\..\\evil'],
      ['a script', 'javascript:alert(1)'],
      ['data', 'data:text/html,a'],
      ['a relative path', 'oauth/authorize'],
      ['an empty path', ''],
      ['a letter beyond ASCII', '/\u2215evil.example'],
    ] as const
  ).map(([name, value]) => [
    `a return to ${name}`,
    'RFC 9700, 4.11.2 (open redirects)',
    async () => [ReturnPath.safeParse(value).success ? 'accepted' : 'refused'],
    'refused',
  ]),
);

export const consentCases: readonly NegativeCase[] = [...pages, ...sessions, ...returns];
