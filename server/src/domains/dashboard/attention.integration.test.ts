import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttentionKind } from '#shared/dashboard/attention';
import { heldClock, startTestServer, type TestServer } from '../../../test/harness.ts';
import { addLateState } from '../../../test/late-states.ts';
import { seedCapsule, seedPlan, seedRun, seedState } from '../../../test/ledger-rows.ts';

const clock = heldClock(Date.now());
const day = 86_400_000;
let server: TestServer;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startTestServer({ clock });
  const capsule = async (status: 'active' | 'stale' | 'error' | 'destroyed', name: string) =>
    seedCapsule(server, { status, name });
  const waiting = await capsule('active', 'waiting');
  ids['approve'] = seedPlan(server, waiting, { type: 'destroy_plan', moves: ['claim', 'requestApproval'] }).id;
  ids['restore'] = seedRestore('waiting_approval', clock.now() + day);
  seedRestore('waiting_approval', clock.now() - 1);
  seedRestore('cancelled', clock.now() + day);
  ids['apply'] = seedPlan(server, await capsule('active', 'ready')).id;
  ids['stale'] = (await capsule('stale', 'behind')).id;
  const failed = await capsule('active', 'broken');
  ids['failed'] = failed.id;
  seedRun(server, { capsuleId: failed.id, moves: ['claim', 'fail'], set: { errorCode: 'plan_failed' } });
  const corrected = await capsule('error', 'corrected');
  seedRun(server, { capsuleId: corrected.id, moves: ['claim', 'fail'] });
  ids['correction'] = seedPlan(server, corrected).id;
  const gone = await capsule('destroyed', 'gone');
  seedRun(server, { capsuleId: gone.id, moves: ['claim', 'fail'] });
  const late = await capsule('active', 'late');
  const runId = seedRun(server, { type: 'apply', capsuleId: late.id, moves: ['claim'] }).id;
  ids['ended'] = runId;
  ids['late_state'] = await addLateState(server, { capsule: late, runId });
  const dismissed = await addLateState(server, { capsule: late, runId });
  await server.api.dismissLateState({ params: { lateStateId: dismissed } });
  const checked = await capsule('active', 'checked');
  ids['check'] = checked.id;
  const stateVersionId = seedState(server, checked, { generation: 1 });
  server.ledger(({ sqlite }) => {
    sqlite
      .prepare(
        `INSERT INTO state_projections (state_version_id, workspace_id, capsule_id, generation, status, resource_count,
           page_count, failed_checks) VALUES (?, ?, ?, 1, 'ready', 1, 1, 2)`,
      )
      .run(stateVersionId, server.workspaceId, checked.id);
    sqlite
      .prepare("UPDATE capsules SET hold_reason = 'Freeze', held_by = 'sub', held_at = 1 WHERE id = ?")
      .run(waiting.id);
    sqlite.prepare("UPDATE sources SET status = 'error', name = 'Lost' WHERE id = ?").run(waiting.sourceId);
    const insert = sqlite.prepare(
      `INSERT INTO connections (id, workspace_id, provider, provider_source, status, display_name, env_names, files,
         created_by, created_at, updated_at, expires_at)
       VALUES (?, ?, 'aws', 'hashicorp/aws', ?, ?, '[]', '[]', 'sub', 1, 1, ?)`,
    );
    const { workspaceId } = server;
    sqlite
      .prepare(
        `INSERT INTO backup_schedules (workspace_id, hour, keep, target, created_by, created_at, updated_at, due_at, failed_at)
         VALUES (?, 3, 1, '{}', 'sub', 1, 1, ?, ?)`,
      )
      .run(server.workspaceId, clock.now() + day, clock.now() - 1);
    insert.run('conn_soon', workspaceId, 'verified', 'Soon', clock.now() + 2 * day);
    insert.run('conn_over', workspaceId, 'verified', 'Over', clock.now() - day);
    insert.run('conn_later', workspaceId, 'verified', 'Later', clock.now() + 60 * day);
    insert.run('conn_revoked', workspaceId, 'revoked', 'Revoked', clock.now() + day);
  });
  ids['source'] = waiting.sourceId;
});
afterAll(() => server.close());

/** Returns the id of a restore of the whole Workspace. */
function seedRestore(status: 'waiting_approval' | 'cancelled', planExpiresAt: number): string {
  const id = `restore_${randomUUID()}`;
  server.ledger(({ sqlite }) =>
    sqlite
      .prepare(
        `INSERT INTO runs (id, workspace_id, type, status, created_by, created_at, plan_expires_at, facts, detail, input)
         VALUES (?, ?, 'restore', ?, 'sub', 1, ?, '{}', '{}', '{}')`,
      )
      .run(id, server.workspaceId, status, planExpiresAt),
  );
  return id;
}

const read = async (query: { kind?: AttentionKind; limit?: string; cursor?: string } = {}) =>
  (await server.api.getAttention({ params: { workspaceId: server.workspaceId }, query })).body;

describe('what needs attention', () => {
  it('counts and names every kind, and nothing that was corrected or has ended', async () => {
    const { counts, items } = await read();
    expect(counts).toEqual([
      { kind: 'approve', count: 2 },
      { kind: 'apply', count: 2 },
      { kind: 'late_state', count: 1 },
      { kind: 'failed', count: 1 },
      { kind: 'check', count: 1 },
      { kind: 'source', count: 1 },
      { kind: 'connection', count: 2 },
      { kind: 'backup', count: 1 },
      { kind: 'stale', count: 1 },
    ]);
    expect(items.map(({ kind, id }) => [kind, id])).toEqual([
      ['approve', ids['restore']],
      ['approve', ids['approve']],
      ['apply', ids['correction']],
      ['apply', ids['apply']],
      ['late_state', ids['late_state']],
      ['failed', ids['failed']],
      ['check', ids['check']],
      ['source', ids['source']],
      ['connection', 'conn_over'],
      ['connection', 'conn_soon'],
      ['backup', server.workspaceId],
      ['stale', ids['stale']],
    ]);
    expect(items.find(({ kind }) => kind === 'failed')).toMatchObject({ name: 'broken', errorCode: 'plan_failed' });
    const late = { name: 'late', runId: ids['ended'], capsuleId: expect.any(String) };
    expect(items.find(({ kind }) => kind === 'late_state')).toMatchObject(late);
    expect(items.filter(({ hold }) => hold).map(({ id }) => id)).toEqual([ids['approve']]);
    expect(items.find(({ kind }) => kind === 'check')).toMatchObject({ name: 'checked', count: 2 });
  });

  it('answers one kind page by page', async () => {
    const first = await read({ kind: 'apply', limit: '1' });
    expect(first.items.map(({ id }) => id)).toEqual([ids['correction']]);
    const next = await read({ kind: 'apply', limit: '1', cursor: first.nextCursor ?? '' });
    expect(next.items.map(({ id }) => id)).toEqual([ids['apply']]);
    expect(next).not.toHaveProperty('nextCursor');
  });
});
