import { afterAll, beforeAll, expect, test } from 'vitest';
import { actionsByTarget, activityActions } from '#shared/activity/actions';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan } from '../../../test/ledger-rows.ts';

let server: TestServer;
let capsuleId: string;
let sourceId: string;
beforeAll(async () => {
  server = await startTestServer();
  const { api, workspaceId } = server;
  const capsule = await seedCapsule(server);
  ({ id: capsuleId, sourceId } = capsule);
  const { id: runId } = seedPlan(server, capsule, { moves: [] });
  await api.cancelRun({ params: { runId }, body: {} });
  await api.updateCapsule({ params: { capsuleId }, body: { autoUpdate: true } });
  await api.createSource({ body: { workspaceId, name: 'other', url: 'https://example.com/other' } });
});
afterAll(() => server.close());

const list = async (query: Parameters<TestServer['api']['listActivity']>[0]['query']) =>
  (await server.api.listActivity({ params: { workspaceId: server.workspaceId }, ...(query && { query }) })).body;
const actionsOf = async (query: Parameters<typeof list>[0]) => (await list(query)).events.map(({ action }) => action);

test('the history of a Capsule contains its own rows and those of its Runs, newest first', async () => {
  expect(await actionsOf({ capsuleId })).toEqual(['capsule.auto_update_enabled', 'run.cancelled']);
});

test('the history can be filtered by kind of record, by person, and by both', async () => {
  const sources = await actionsOf({ targetType: 'source' });
  expect(sources.every((action) => action.startsWith('source.'))).toBe(true);
  expect(sources.length).toBeGreaterThan(1);
  expect(await actionsOf({ actorId: server.subject, targetType: 'source' })).toEqual(sources);
  expect(await actionsOf({ actorId: 'sub_unknown' })).toEqual([]);
  const everything = await actionsOf({});
  expect(
    [...(await actionsOf({ actorId: server.subject })), ...(await actionsOf({ actorId: 'system' }))].sort(),
  ).toEqual([...everything].sort());
});

test('a page keeps its filter, and its cursor is refused by other lists', async () => {
  const first = await list({ targetType: 'source', limit: '1' });
  const cursor = first.nextCursor ?? '';
  const second = await list({ targetType: 'source', limit: '1', cursor });
  expect(second.events[0]?.targetId).not.toBe(first.events[0]?.targetId);
  await expect(list({ cursor })).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
  await expect(list({ targetType: 'weather' as 'source' })).rejects.toMatchObject({ status: 400 });
});

test('each filter of the history uses its own index', () => {
  const planOf = (filter: string) =>
    server.ledger(({ sqlite }) =>
      (
        sqlite
          .prepare(
            `EXPLAIN QUERY PLAN SELECT * FROM audit_events WHERE workspace_id = 'w' AND seq < 9 ${filter} ORDER BY seq DESC LIMIT 9`,
          )
          .all() as { detail: string }[]
      )
        .map(({ detail }) => detail)
        .join('; '),
    );
  const capsule =
    "(CASE WHEN target_type = 'capsule' THEN target_id WHEN json_valid(metadata) THEN metadata ->> '$.capsuleId' END)";
  expect(planOf('')).toMatch(/^SEARCH audit_events USING INDEX audit_workspace \(workspace_id=\? AND seq<\?\)$/);
  expect(planOf(`AND ${capsule} = 'c'`)).toMatch(/USING INDEX audit_capsule \(.*seq<\?\)$/);
  expect(planOf("AND actor_id = 'a'")).toMatch(/USING INDEX audit_actor \(.*seq<\?\)$/);
  expect(planOf('AND actor_id IS NULL')).toMatch(/USING INDEX audit_actor \(.*seq<\?\)$/);
  expect(planOf("AND target_type = 'run'")).toMatch(/USING INDEX audit_kind \(.*seq<\?\)$/);
  expect(planOf("AND actor_id = 'a' AND target_type = 'run'")).toMatch(/USING INDEX audit_actor_kind \(.*seq<\?\)$/);
});

test('an action belongs to one kind of record', () => {
  expect(new Set(activityActions).size).toBe(activityActions.length);
  expect(Object.keys(actionsByTarget)).toContain('run_group');
  expect(sourceId).toMatch(/^src_/);
});
