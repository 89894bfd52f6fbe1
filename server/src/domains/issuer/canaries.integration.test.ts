import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyLedger } from '#server/kernel/ledger-copy';
import { type Canary, canaryOf, findCanaries, searchFolder } from '../../../../e2e/fixtures/canary.ts';
import type { RawAnswer, RawRequest } from '../../../test/harness.ts';
import { basicOf, secretOf } from '../../../test/issuer/clients.ts';
import { locationOf } from '../../../test/issuer/outcome.ts';
import { createTools, permission, proveToolsHost } from '../../../test/issuer/tools.ts';
import {
  authorizationOf,
  exchangeOf,
  type IssuerWorld,
  startIssuerWorld,
  type Tokens,
} from '../../../test/issuer/world.ts';
import { makeToken } from '../../../test/tokens.ts';

type Seen = { request: RawRequest; answer: RawAnswer };
const seen: Seen[] = [];
const lines: string[] = [];
const write = (fields: object, text: string) => void lines.push(JSON.stringify({ ...fields, text }));
const log = { info: write, warn: write, error: write };

let world: IssuerWorld;
const values = new Map<string, string>();
let canaries: Canary[];
let searchedInUse: ReturnType<typeof searchFolder>;

/** Signs in with consent, and uses every kind of token at each place once, right and wrong. */
beforeAll(async () => {
  world = await startIssuerWorld({ log, onAnswer: (request, answer) => void seen.push({ request, answer }) });
  const { server } = world;
  const person = await world.owner();
  const parameters = { ...authorizationOf('notes', server.workspaceId), scope: 'openid offline_access capsules:read' };
  const page = locationOf(await world.authorize(parameters, person)).pathname;
  const html = { accept: 'text/html', cookie: person.cookie, 'sec-fetch-mode': 'navigate' };
  await world.get(page, html);
  const code = locationOf(await world.decide(page, person)).searchParams.get('code') ?? '';
  await world.decide(page, person);
  const first = (await world.postAs('notes', '/oauth/token', exchangeOf('notes', code))).json as Tokens;
  const second = (await world.refresh(first.refresh_token)).json as Tokens;
  await world.readApi(second.access_token);
  await proveToolsHost(server);
  const tools = await createTools(server);
  const issued = (await person.api.issueInterfaceToken({ params: tools.params, body: { permission } })).body;
  const pat = await makeToken(server, { scopes: ['read'] });
  const planted = {
    'consent id': page.split('/').at(-1) ?? '',
    code,
    'access token': first.access_token,
    'refresh token': first.refresh_token,
    'ID token': first.id_token,
    'second access token': second.access_token,
    'second refresh token': second.refresh_token,
    'second ID token': second.id_token,
    'Interface token': issued.access_token,
    session: person.token,
    'personal access token': pat.token,
    'client secret': secretOf('notes'),
    credential: basicOf('notes').slice('Basic '.length),
  };
  for (const [name, value] of Object.entries(planted)) values.set(name, value);
  canaries = [...values].map(([name, value]) => canaryOf(name, value));
  // Misuse ends grants and deletes their rows.
  searchedInUse = searchFolder(server.dataDir, canaries, []);
  for (const value of Object.values(planted)) {
    await world.userinfo(value);
    await world.introspect(value);
    await world.readApi(value);
    await world.refresh(value);
    await world.postAs('notes', '/oauth/token', exchangeOf('notes', value));
    await world.get(`/oauth/consent/${encodeURIComponent(value)}`, html);
    for (const name of ['client_id', 'state', 'scope', 'redirect_uri', 'workspace_id', 'id_token_hint', 'login_mark'])
      await world.authorize({ ...parameters, [name]: value }, person, html);
    await world.postAs('notes', '/oauth/revoke', { token: value });
  }
});
afterAll(() => world.close());

/** The answers that give a value to the program or person that it is for. */
const isHandedOver = ({ request: { path: address }, answer: { status } }: Seen): boolean =>
  status < 300 &&
  /^\/(?:oauth\/token|internal\/v1\/account-(?:sessions|tokens)|api\/v1\/interfaces\/[^/]+\/token)$/.test(address);

/** Returns what a person or a log sees of an answer: all but the address to continue at, which is for the browser. */
const shownOf = ({ answer: { headers, text } }: Seen): string => {
  const { location, 'set-cookie': cookie, ...rest } = headers;
  return JSON.stringify(rest) + text;
};

describe('no secret of a sign-in', () => {
  it('is in an answer that is not for its owner, on an error page, or in a record', async () => {
    const { api, workspaceId, as, operatorToken } = world.server;
    await api.listActivity({ params: { workspaceId } });
    await as(operatorToken).listAudit({});
    const shown = seen.filter((one) => !isHandedOver(one));
    expect(shown.filter(({ answer }) => answer.status >= 400).length).toBeGreaterThan(80);
    expect(shown.flatMap((one) => findCanaries(one.request.path.slice(0, 20), shownOf(one), canaries))).toEqual([]);
  });

  it('is in the log', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.flatMap((line) => findCanaries('the log', line, canaries))).toEqual([]);
  });

  it('is in a file of the data folder: ledger, write-ahead log, a copy of the ledger', async () => {
    const { dataDir, ledger } = world.server;
    ledger(({ sqlite }) => copyLedger(sqlite, dataDir));
    const running = searchFolder(dataDir, canaries, []);
    expect(Math.min(running.files, searchedInUse.files)).toBeGreaterThan(4);
    expect([...searchedInUse.hits, ...running.hits]).toEqual([]);
    await world.server.restart();
    expect(searchFolder(dataDir, canaries, []).hits).toEqual([]);
  });

  it('reaches another origin in the header Referer', () => {
    const pages = seen.filter(
      ({ answer: { headers } }) => headers.location !== undefined || headers['content-type']?.startsWith('text/html'),
    );
    expect(pages.length).toBeGreaterThan(50);
    expect([...new Set(pages.map(({ answer }) => answer.headers['referrer-policy']))]).toEqual([
      'strict-origin-when-cross-origin',
    ]);
    const stored = pages.filter(({ answer }) => answer.headers['cache-control'] !== 'no-store');
    expect(stored.map(({ request }) => request.path.slice(0, 20))).toEqual([]);
  });
});

it('finds a value that stands in the ledger', () => {
  const { dataDir, ledger } = world.server;
  const canary = canaryOf('a clear value', `clear-${values.get('code')}`);
  ledger(({ sqlite }) => sqlite.exec(`CREATE TABLE of_this_test AS SELECT 'clear-${values.get('code')}' AS value`));
  const { hits } = searchFolder(dataDir, [canary], []);
  ledger(({ sqlite }) => sqlite.exec('DROP TABLE of_this_test'));
  expect(hits.length).toBeGreaterThan(0);
});
