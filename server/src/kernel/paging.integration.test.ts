import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiTables } from '#shared/api';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { addFormResource } from '../../test/form-resource-records.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../test/harness.ts';
import { asNeighbour, seedOneOfEach } from '../../test/one-of-each.ts';
import { sealStates } from '../../test/sealed-states.ts';
import { createCopiesStore } from '../domains/copies/index.ts';
import { newId } from './ids.ts';

/** Every route with pages, including the operator's. */
const paged = apiTables
  .flatMap((table): [string, Endpoint][] => Object.entries(table))
  .filter(([, { query, class: permission }]) => 'cursor' in (query?.shape ?? {}) && permission !== 'Op');

let server: TestServer;
let neighbor: TestServer;
let own: Record<string, string>;
let other: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer({ clock: heldClock(Date.now()) });
  neighbor = await asNeighbour(server);
  own = await seedOneOfEach(server);
  other = await seedOneOfEach(neighbor);
  for (const [as, ids] of [
    [server, own],
    [neighbor, other],
  ] as const)
    await sealStates(as, [ids['stateVersionId'] ?? '']);
  // The Run of each Workspace is a restore too, so that its review is a list.
  const insert = "INSERT INTO restores (run_id, workspace_id, left_out) VALUES (?, ?, '[]')";
  for (const { runId, workspaceId } of [own, other])
    server.ledger(({ sqlite }) => sqlite.prepare(insert).run(runId, workspaceId));
  for (const ids of [own, other]) ids['copyId'] = addCopy(ids['workspaceId'] ?? '');
  for (const ids of [own, other]) ids['poolId'] = addPool();
  for (const ids of [own, other]) ids['formResourceId'] = addFormResource(server, ids['workspaceId'] ?? '');
});
afterAll(() => server.close());

function addPool(): string {
  const id = newId('runnerPool');
  const insert = "INSERT INTO runner_pools (id, name, created_at, created_by) VALUES (?, ?, 0, 'operator')";
  server.ledger(({ sqlite }) => sqlite.prepare(insert).run(id, id));
  return id;
}

function addCopy(workspaceId: string): string {
  const id = newId('copy');
  server.ledger((db) =>
    createCopiesStore(db).insertCopy({
      id,
      workspaceId,
      name: 'stack',
      upstreamUrl: 'https://git.example/stack',
      upstreamRef: 'HEAD',
      upstreamPath: '.',
      authConnectionId: null,
      modulePath: null,
      sourceId: null,
      currentRevisionId: null,
      createdBy: 'operator',
      createdAt: 0,
      updatedAt: 0,
    }),
  );
  return id;
}

const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];

function request(endpoint: Endpoint, query: Record<string, string>, as = server, ids = own): Promise<RawAnswer> {
  const path = fullPath(endpoint).replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'nothing');
  const named = endpoint.workspaceIn === 'query' ? { workspaceId: ids['workspaceId'] ?? '' } : {};
  // Members without which a list is refused.
  const required = Object.entries({ with: ids['stateVersionId'] ?? '', address: 'terraform_data.one' }).filter(
    ([name]) => name in (endpoint.query?.shape ?? {}),
  );
  const search = new URLSearchParams({ ...named, ...Object.fromEntries(required), ...query });
  return as.raw({ path: `${path}?${search}`, headers: { authorization: `Bearer ${as.token}` } });
}

const cursorIn = ({ json }: RawAnswer): string | undefined => {
  const { nextCursor, next_cursor } = json as { nextCursor?: string; next_cursor?: string | null };
  return nextCursor ?? next_cursor ?? undefined;
};

test.each(paged)('%s refuses a cursor of another list, and an invalid limit', async (_, endpoint) => {
  expect((await request(endpoint, { limit: '1' })).status).toBe(200);
  const body = Buffer.from('[1,"x"]').toString('base64url');
  const maliciousCursors = [
    '',
    'x',
    '.',
    `${body}.${'0'.repeat(24)}`,
    `${body}.`,
    'a.b.c',
    '%00',
    'x'.repeat(513),
    'é',
  ];
  for (const cursor of maliciousCursors)
    expect([cursor, ...statusAndCode(await request(endpoint, { cursor }))]).toEqual([cursor, 400, 'invalid_request']);
  for (const limit of ['0', '-1', '+1', '1.5', '1e3', ' 1', '', 'all', '00'])
    expect([limit, ...statusAndCode(await request(endpoint, { limit }))]).toEqual([limit, 400, 'invalid_request']);
});

test('a cursor is valid for the list that returned it, and for no other: neither of another route nor of another Workspace', async () => {
  const capsules = apiTables.flatMap((table) => Object.entries(table)).find(([name]) => name === 'listCapsules')?.[1];
  if (!capsules) throw new Error('the list of Capsules is gone');
  const cursor = cursorIn(await request(capsules, { limit: '1' })) ?? '';
  expect((await request(capsules, { cursor })).status).toBe(200);
  const elsewhere = paged.filter(([name]) => name !== 'listCapsules');
  const answers = await Promise.all(elsewhere.map(([, endpoint]) => request(endpoint, { cursor })));
  expect(answers.map(statusAndCode)).toEqual(elsewhere.map(() => [400, 'invalid_request']));
  expect(statusAndCode(await request(capsules, { cursor }, neighbor, other))).toEqual([400, 'invalid_request']);
  expect(statusAndCode(await request(capsules, { cursor, order: 'updated_desc' }))).toEqual([400, 'invalid_request']);
});
