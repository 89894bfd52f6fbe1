import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unpackText } from '#server/kernel/packed';
import {
  addGeneration,
  backUp,
  refusalIn,
  requestRestore,
  restored,
  seedApplied,
  setCapsule,
} from '../../../test/backup-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { holdCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { openTestVault } from '../../../test/state-fixture.ts';
import { createRunsStore } from '../runs/store.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

type Body = Parameters<typeof requestRestore>[1];
const capsuleNow = async (capsuleId: string) => (await server.api.getCapsule({ params: { capsuleId } })).body.capsule;
const runNow = async (runId: string) => (await server.api.getRun({ params: { runId } })).body.run;
const post = (address: string, token = server.token) =>
  server.request('POST', `/api/v1${address}`, {}, { authorization: `Bearer ${token}` });
const approve = (runId: string, token?: string) => post(`/runs/${runId}/approve`, token);
const reviewOf = async (runId: string) => (await server.api.getRestoreReview({ params: { runId } })).body.restore;
const requested = async (body: Body) => ((await requestRestore(server, body)).json as { run: { id: string } }).run;
const eventsOf = async (runId: string) =>
  (await server.api.getRunEvents({ params: { runId } })).body.auditEvents.map(({ type }) => type);
const actions = async () =>
  (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body.events.map(
    ({ action, targetId, runId }) => ({ action, targetId, runId }),
  );

async function textOf(stateVersionId: string): Promise<string> {
  const vault = await openTestVault(server);
  const row = server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT id, workspace_id, state FROM state_versions WHERE id = ?').get(stateVersionId),
  ) as { id: string; workspace_id: string; state: Buffer };
  const context = { table: 'state_versions', row: row.id, column: 'state', workspaceId: row.workspace_id };
  return unpackText(vault.open(context, row.state));
}

/** Returns the Run that the queue would start next. */
const findClaimable = (db: Parameters<typeof createRunsStore>[0], types: readonly ('plan' | 'restore')[]) =>
  createRunsStore(db).findClaimable({ types, pool: 'local' }, Date.now())?.id;

const outputs = { url: { value: 'https://one.example', type: 'string' }, late: { value: 'x', type: 'string' } };

/** A Capsule whose first of two generations is in a backup. */
async function changedSinceBackup(status: 'active' | 'error' | 'stale' = 'active') {
  const capsule = await seedApplied(server, { generations: [{ same: 1, gone: 1, changed: 1 }], outputs, status });
  const backup = await backUp(server, capsule.id);
  await addGeneration(server, capsule, { generation: 2, resources: { same: 1, changed: 2, added: 1 } });
  return { capsule, backup };
}

describe('a restore', () => {
  it('waits for an approval, shows what differs, and commits the old state as the next generation', async () => {
    const { capsule, backup } = await changedSinceBackup();
    const plan = seedPlan(server, { ...capsule, currentStateGeneration: 2 });
    const answer = await requestRestore(server, { backupId: backup.id, expectedBackupDigest: backup.digest });
    expect(answer).toMatchObject({
      status: 201,
      json: {
        run: {
          type: 'restore',
          status: 'waiting_approval',
          createdBy: 'operator',
          capsuleId: capsule.id,
          backupId: backup.id,
          restoreStateGeneration: 1,
          planExpiresAt: expect.any(String),
        },
      },
    });
    const { run } = answer.json as { run: { id: string } };
    expect(await reviewOf(run.id)).toEqual({
      runId: run.id,
      origin: { kind: 'backup', backupId: backup.id, backupCreatedAt: backup.createdAt },
      capsuleCount: 1,
      leftOut: [],
      capsules: [
        {
          capsuleId: capsule.id,
          name: capsule.name,
          environment: capsule.environment,
          currentGeneration: 2,
          sourceGeneration: 1,
          newGeneration: 3,
          currentResourceCount: 3,
          restoredResourceCount: 3,
          added: { total: 1, addresses: ['test_thing.gone'] },
          removed: { total: 1, addresses: ['test_thing.added'] },
          changed: { total: 1, addresses: ['test_thing.changed'] },
        },
      ],
    });
    const before = await capsuleNow(capsule.id);
    const approved = await approve(run.id);
    expect(approved).toMatchObject({ status: 200, json: { run: { approval: { by: server.subject } } } });
    await server.ended(run.id);
    const ended = await runNow(run.id);
    expect(ended).toMatchObject({ status: 'succeeded', phaseTimings: [{ phase: 'restore' }] });
    expect(await eventsOf(run.id)).toEqual([
      'restore.requested',
      'restore.approved',
      'restore.started',
      'restore.completed',
    ]);
    const after = await capsuleNow(capsule.id);
    expect(after).toMatchObject({ status: 'stale', currentStateGeneration: 3, runtimeSafety: 'safe' });
    expect(after.executionAuthorityEpoch).toBe(before.executionAuthorityEpoch);
    const { stateVersionId = '' } = (await reviewOf(run.id)).capsules[0] ?? {};
    expect([after.currentStateVersionId, ended.restoredStateVersionId]).toEqual([stateVersionId, stateVersionId]);
    const source = await textOf(ended.restoredFromStateVersionId ?? '');
    expect(await textOf(stateVersionId)).toBe(source.replace('"serial":1', '"serial":2'));
    expect((await server.api.getOutputs({ params: { capsuleId: capsule.id } })).body.output).toMatchObject({
      stateGeneration: 3,
      workspaceOutputs: { url: 'https://one.example', late: 'x' },
    });
    expect((await runNow(plan.id)).superseded).toMatchObject({ reason: 'state_generation' });
    expect((await actions()).slice(0, 4)).toEqual([
      { action: 'restore.succeeded', targetId: backup.id, runId: run.id },
      { action: 'capsule.stale', targetId: capsule.id, runId: run.id },
      { action: 'run.approved', targetId: run.id, runId: run.id },
      { action: 'restore.created', targetId: backup.id, runId: run.id },
    ]);
    const left = server.ledger(({ sqlite }) => sqlite.prepare('SELECT state FROM restore_states').pluck().all());
    expect(left.filter((state) => state !== null)).toEqual([]);
  });

  it('is approved once, and a second click changes nothing', async () => {
    const { backup, capsule } = await changedSinceBackup();
    const run = await requested({ backupId: backup.id });
    const [first, second] = await Promise.all([approve(run.id), approve(run.id)]);
    expect([first.status, second.status]).toEqual([200, 200]);
    await server.ended(run.id);
    expect((await approve(run.id)).status).toBe(200);
    expect((await capsuleNow(capsule.id)).currentStateGeneration).toBe(3);
  });

  it.each(['error', 'stale'] as const)('makes a Capsule with status %s stale', async (status) => {
    const { backup, capsule } = await changedSinceBackup(status);
    expect((await restored(server, { backupId: backup.id })).status).toBe('succeeded');
    expect((await capsuleNow(capsule.id)).status).toBe('stale');
  });

  it('shows no Output that was hidden before', async () => {
    const capsule = await seedApplied(server, { generations: [{ a: 1 }], outputs });
    server.ledger(({ sqlite }) =>
      sqlite.prepare(`UPDATE outputs SET workspace_outputs = '{"url":1}' WHERE capsule_id = ?`).run(capsule.id),
    );
    const backup = await backUp(server, capsule.id);
    await restored(server, { backupId: backup.id });
    const { output } = (await server.api.getOutputs({ params: { capsuleId: capsule.id } })).body;
    expect(Object.keys(output?.workspaceOutputs ?? {})).toEqual(['url']);
  });

  it('returns one named generation of one Capsule', async () => {
    const capsule = await seedApplied(server, { generations: [{ a: 1 }, { a: 2 }, { a: 3 }] });
    const backup = await backUp(server);
    const run = await restored(server, { backupId: backup.id, capsuleId: capsule.id, stateGeneration: 2 });
    expect(run).toMatchObject({ status: 'succeeded', restoreStateGeneration: 2 });
    expect(await textOf(run.restoredStateVersionId ?? '')).toContain('"value":2');
  });

  it('of a Workspace returns all Capsules in one Run, and leaves out those that cannot have one now', async () => {
    const other = await startTestServer();
    try {
      const one = await seedApplied(other, { generations: [{ a: 1 }] });
      const two = await seedApplied(other, { generations: [{ b: 1 }, { b: 2 }] });
      const gone = await seedApplied(other, { generations: [{ c: 1 }] });
      const held = await seedApplied(other, { generations: [{ d: 1 }] });
      const disabled = await seedApplied(other, { generations: [{ e: 1 }] });
      const busy = await seedApplied(other, { generations: [{ f: 1 }] });
      const backup = await backUp(other);
      setCapsule(other, gone.id, { status: 'destroyed' });
      setCapsule(other, held.id, { hold_reason: 'wait', held_by: 'someone', held_at: 1 });
      setCapsule(other, disabled.id, { status: 'disabled' });
      seedRun(other, { type: 'apply', capsuleId: busy.id, moves: ['claim'] });
      const run = await restored(other, { backupId: backup.id });
      expect(run).toMatchObject({ status: 'succeeded' });
      expect(run).not.toHaveProperty('capsuleId');
      const { body } = await other.api.getRestoreReview({ params: { runId: run.id }, query: { limit: '1' } });
      expect(body.restore).toMatchObject({
        capsuleCount: 2,
        leftOut: [
          { capsuleId: gone.id, name: gone.name, reason: 'capsule_destroyed' },
          { capsuleId: held.id, name: held.name, reason: 'capsule_held' },
          { capsuleId: disabled.id, name: disabled.name, reason: 'capsule_disabled' },
          { capsuleId: busy.id, name: busy.name, reason: 'capsule_busy' },
        ],
      });
      const { restore } = (
        await other.api.getRestoreReview({ params: { runId: run.id }, query: { cursor: body.nextCursor } })
      ).body;
      const all = [...body.restore.capsules, ...restore.capsules];
      expect(all.map(({ capsuleId, newGeneration }) => [capsuleId, newGeneration])).toEqual(
        [
          [one.id, 2],
          [two.id, 3],
        ].sort(),
      );
      expect(new Set(all.map(({ stateVersionId }) => stateVersionId)).size).toBe(2);
    } finally {
      await other.close();
    }
  });

  it('is cancelled before its approval, and its states are deleted', async () => {
    const { backup, capsule } = await changedSinceBackup();
    const run = await requested({ backupId: backup.id });
    expect((await post(`/runs/${run.id}/cancel`)).status).toBe(200);
    expect(await eventsOf(run.id)).toEqual(['restore.requested', 'restore.cancelled']);
    expect(refusalIn(await approve(run.id))[2]).toBe('nothing_to_approve');
    expect((await capsuleNow(capsule.id)).currentStateGeneration).toBe(2);
    const states = server.ledger(({ sqlite }) =>
      sqlite.prepare('SELECT state FROM restore_states WHERE run_id = ?').pluck().all(run.id),
    );
    expect(states).toEqual([null]);
  });
});

describe('a restore is refused', () => {
  const precondition = (reason: string) => [409, 'failed_precondition', reason];

  it('for an unknown backup, Capsule and generation', async () => {
    const { backup, capsule } = await changedSinceBackup();
    const other = await seedApplied(server, { generations: [{ a: 1 }] });
    expect((await requestRestore(server, { backupId: 'bkp_none' })).status).toBe(404);
    const nowhere = 'cap_01K8Z3QF7M2XW5N9B4C6D8EW10';
    expect((await requestRestore(server, { backupId: backup.id, capsuleId: nowhere })).status).toBe(404);
    const refused = async (body: object) => refusalIn(await requestRestore(server, { backupId: backup.id, ...body }));
    expect(await refused({ capsuleId: other.id })).toEqual(precondition('backup_has_no_state'));
    expect(await refused({ capsuleId: capsule.id, stateGeneration: 2 })).toEqual(precondition('backup_has_no_state'));
  });

  it('for a generation without a Capsule', async () => {
    const backup = await backUp(server);
    const answer = await requestRestore(server, { backupId: backup.id, stateGeneration: 1 });
    expect(refusalIn(answer)).toEqual([400, 'invalid_request']);
  });

  it('when the digest is another one, or the file was changed, replaced or removed', async () => {
    const { backup } = await changedSinceBackup();
    const { backup: other } = await changedSinceBackup();
    const fileOf = (id: string) => path.join(server.dataDir, 'backups', `${id}.age`);
    const refused = async (body: object = {}) =>
      refusalIn(await requestRestore(server, { backupId: backup.id, ...body }));
    expect(await refused({ expectedBackupDigest: other.digest })).toEqual(precondition('backup_digest_mismatch'));
    fs.copyFileSync(fileOf(other.id), fileOf(backup.id));
    expect(await refused()).toEqual(precondition('backup_digest_mismatch'));
    fs.rmSync(fileOf(backup.id));
    expect(await refused()).toEqual(precondition('backup_not_readable'));
  });

  it('when the archive is not one that the key opens', async () => {
    const { backup } = await changedSinceBackup();
    const key = server.ledger(({ sqlite }) => sqlite.prepare('SELECT * FROM backup_keys').get()) as {
      identity: Buffer;
    };
    const setKey = (identity: Buffer) =>
      server.ledger(({ sqlite }) => sqlite.prepare('UPDATE backup_keys SET identity = ?').run(identity));
    const broken = Buffer.from(key.identity);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    setKey(broken);
    expect(refusalIn(await requestRestore(server, { backupId: backup.id }))).toEqual(
      precondition('backup_not_readable'),
    );
    setKey(key.identity);
    expect((await requestRestore(server, { backupId: backup.id })).status).toBe(201);
  });

  it('when the lineage is another one', async () => {
    const { backup, capsule } = await changedSinceBackup();
    await addGeneration(server, capsule, { generation: 3, resources: {}, lineage: 'other' });
    expect(refusalIn(await requestRestore(server, { backupId: backup.id }))).toEqual(
      precondition('state_lineage_mismatch'),
    );
  });

  it.each([
    [{ status: 'destroyed' }, 'capsule_destroyed'],
    [{ status: 'disabled' }, 'capsule_disabled'],
    [{ hold_reason: 'wait', held_by: 'someone', held_at: 1 }, 'capsule_held'],
  ])('when the Capsule has %j', async (columns, reason) => {
    const { backup, capsule } = await changedSinceBackup();
    const run = await requested({ backupId: backup.id });
    setCapsule(server, capsule.id, columns as unknown as Record<string, string>);
    expect(refusalIn(await requestRestore(server, { backupId: backup.id }))).toEqual(precondition(reason));
    expect(refusalIn(await approve(run.id))).toEqual(precondition(reason));
  });

  it('at its approval when the state has changed since, and at its start too', async () => {
    const { backup, capsule } = await changedSinceBackup();
    const [early, late] = [await requested({ backupId: backup.id }), await requested({ backupId: backup.id })];
    const busy = holdCapsule(server, capsule.id);
    expect((await approve(late.id)).status).toBe(200);
    await addGeneration(server, capsule, { generation: 3, resources: { a: 1 } });
    expect(refusalIn(await approve(early.id))).toEqual(precondition('state_generation_mismatch'));
    expect((await runNow(late.id)).status).toBe('queued');
    server.ledger(({ sqlite }) => sqlite.prepare("UPDATE runs SET status = 'failed' WHERE id = ?").run(busy.id));
    await server.restart();
    await server.ended(late.id);
    expect(await runNow(late.id)).toMatchObject({ status: 'failed', errorCode: 'state_generation_mismatch' });
    expect((await capsuleNow(capsule.id)).currentStateGeneration).toBe(3);
    expect((await eventsOf(late.id)).slice(-2)).toEqual(['restore.started', 'restore.failed']);
    expect((await actions())[0]).toEqual({ action: 'restore.failed', targetId: backup.id, runId: late.id });
  });

  it('when it waited too long', async () => {
    const { backup } = await changedSinceBackup();
    const run = await requested({ backupId: backup.id });
    server.ledger(({ sqlite }) => sqlite.prepare('UPDATE runs SET plan_expires_at = 1 WHERE id = ?').run(run.id));
    expect(refusalIn(await approve(run.id))).toEqual(precondition('plan_expired'));
    await server.restart();
    await server.ended(run.id);
    expect((await runNow(run.id)).status).toBe('expired');
    expect((await eventsOf(run.id)).at(-1)).toBe('restore.expired');
  });

  it('in an archived Workspace', async () => {
    const { backup } = await changedSinceBackup();
    const setArchived = (at: number | null) =>
      server.ledger(({ sqlite }) => sqlite.prepare('UPDATE workspaces SET archived_at = ?').run(at));
    setArchived(1);
    expect(refusalIn(await requestRestore(server, { backupId: backup.id }))).toEqual(
      precondition('workspace_archived'),
    );
    setArchived(null);
  });

  it('to all but the local owner and the operator, and approved only by those who may write', async () => {
    const { backup } = await changedSinceBackup();
    const body = { backupId: backup.id };
    const address = `/api/v1/workspaces/${server.workspaceId}/restores`;
    const owner = await server.join('owner');
    const refused = await server.request('POST', address, body, { authorization: `Bearer ${owner.token}` });
    expect(refusalIn(refused)).toEqual([403, 'forbidden']);
    const own = await server.request('POST', address, body);
    expect(own).toMatchObject({ status: 201, json: { run: { createdBy: server.subject } } });
    const { run } = own.json as { run: { id: string } };
    for (const role of ['member', 'viewer'] as const)
      expect((await approve(run.id, (await server.join(role)).token)).status).toBe(403);
    expect((await server.api.getRestoreReview({ params: { runId: run.id } })).status).toBe(200);
    expect((await approve(run.id, owner.token)).status).toBe(200);
  });

  it('to its author where a policy asks for a second person', async () => {
    const { backup } = await changedSinceBackup();
    const setPolicy = (policy: object) =>
      server.ledger(({ sqlite }) => sqlite.prepare('UPDATE workspaces SET policy = ?').run(JSON.stringify(policy)));
    const address = `/api/v1/workspaces/${server.workspaceId}/restores`;
    const { run } = (await server.request('POST', address, { backupId: backup.id })).json as { run: { id: string } };
    setPolicy({ approval: { requireSecondPerson: true } });
    expect(refusalIn(await approve(run.id))).toEqual(precondition('second_person_required'));
    expect((await approve(run.id, (await server.join('admin')).token)).status).toBe(200);
    setPolicy({});
  });

  it('as a review of another Run', async () => {
    const run = seedRun(server, { moves: ['claim', 'finish'] });
    expect((await server.request('GET', `/api/v1/runs/${run.id}/restore`)).status).toBe(404);
  });
});

describe('the queue', () => {
  it('runs a restore of several Capsules beside no other Run of them, in the order of creation', async () => {
    const { capsule: one } = await changedSinceBackup();
    const { capsule: two } = await changedSinceBackup();
    const free = await seedApplied(server, { generations: [{ a: 1 }] });
    const claimable = (types: ('plan' | 'restore')[]) => server.ledger((db) => findClaimable(db, types));
    const restore = seedRun(server, { type: 'restore', moves: ['approve'] });
    server.ledger(({ sqlite }) =>
      sqlite
        .prepare('UPDATE runs SET input = ? WHERE id = ?')
        .run(JSON.stringify({ capsuleIds: [one.id, two.id] }), restore.id),
    );
    const later = seedRun(server, { type: 'plan', capsuleId: two.id });
    const other = seedRun(server, { type: 'plan', capsuleId: free.id });
    const busy = holdCapsule(server, one.id);
    expect(claimable(['restore'])).toBeUndefined();
    expect(claimable(['plan'])).toBe(other.id);
    const setStatus = (id: string, status: string) =>
      server.ledger(({ sqlite }) => sqlite.prepare('UPDATE runs SET status = ? WHERE id = ?').run(status, id));
    setStatus(busy.id, 'failed');
    setStatus(other.id, 'failed');
    expect([claimable(['restore']), claimable(['plan'])]).toEqual([restore.id, undefined]);
    setStatus(restore.id, 'running');
    expect(claimable(['plan'])).toBeUndefined();
    setStatus(restore.id, 'failed');
    expect(claimable(['plan'])).toBe(later.id);
    setStatus(later.id, 'failed');
  });
});
