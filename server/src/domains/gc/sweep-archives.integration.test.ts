import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { at, clock, day, hour, moveLane, server, serveSweeps, snapshot, sweep } from '../../../test/gc-fixture.ts';
import { seedCapsule, seedPlan, seedRun, seedState } from '../../../test/ledger-rows.ts';
import { archivePath, writeArchive } from '../../drivers/archive/index.ts';
import { createLog } from '../../kernel/log.ts';
import { createGcStore, createSweep, gcFoldersOf } from './index.ts';

serveSweeps();

describe('archives', () => {
  test('are kept while they are copied', async () => {
    const unneeded = snapshot(await seedCapsule(server), 'held', clock.now() - 90 * day);
    expect((await sweep({ isHeld: () => true })).removed).toEqual({});
    expect(fs.existsSync(unneeded.file)).toBe(true);
    expect((await sweep()).removed).toMatchObject({ archives: 1 });
  });

  test('are removed when nothing needs their files any more; the snapshots stay', async () => {
    const capsule = await seedCapsule(server);
    const old = clock.now() - 31 * day;
    const named = (mark: string) => snapshot(capsule, mark, old);
    const [lane, adopted, running, planned, rolled, requested, lonely, shared] = [
      'lane',
      'adopted',
      'running',
      'planned',
      'rolled',
      'asked',
      'lonely',
      'shared',
    ].map(named) as ReturnType<typeof snapshot>[];
    const young = snapshot(capsule, 'young', clock.now() - 29 * day);
    moveLane(capsule.sourceId, lane?.id ?? '');
    const facts = (id: string | undefined) => ({ sourceSnapshotId: id ?? '' });
    seedRun(server, { moves: ['claim'], facts: facts(running?.id) });
    seedPlan(server, capsule, { facts: { policyStatus: 'pass', ...facts(planned?.id) } });
    seedPlan(server, capsule, { facts: { ...facts(lonely?.id) }, set: { planExpiresAt: clock.now() - 1 } });
    const state = seedState(server, capsule, { generation: 1 });
    server.ledger(({ sqlite }) => {
      const revision = JSON.stringify({ ...facts(adopted?.id), ref: 'HEAD', path: '.', resolvedCommit: 'x' });
      sqlite.prepare('UPDATE capsules SET adopted_source_revision = ? WHERE id = ?').run(revision, capsule.id);
      sqlite.prepare('UPDATE state_versions SET source_snapshot_id = ? WHERE id = ?').run(rolled?.id, state);
      sqlite
        .prepare("UPDATE install_configs SET provenance = json_set(provenance, '$.sourceSnapshotId', ?) WHERE id = ?")
        .run(requested?.id, capsule.installConfigId);
      // Two snapshots of the same files: the younger one keeps them for both.
      sqlite.prepare("UPDATE source_snapshots SET archive_digest = ? WHERE id = 'snap_young'").run(shared?.digest);
    });
    fs.rmSync(young.file);
    expect((await sweep({ later: 0 })).removed).toEqual({ archives: 1 });
    expect(fs.existsSync(lonely?.file ?? '')).toBe(false);
    for (const retained of [lane, adopted, running, planned, rolled, requested, shared])
      expect([retained?.id, fs.existsSync(retained?.file ?? '')]).toEqual([retained?.id, true]);
    const rows = server.ledger(({ sqlite }) => sqlite.prepare('SELECT count(*) FROM source_snapshots').pluck().get());
    expect(rows).toBe(9);
  });

  test('that no snapshot names are kept for a day: a sync may be about to name them', async () => {
    const { path: file } = writeArchive({ dir: at('archives'), entries: [] });
    expect((await sweep({ later: day - hour })).removed).toEqual({});
    expect((await sweep({ later: 2 * hour })).removed).toEqual({ archives: 1 });
    expect(fs.existsSync(file)).toBe(false);
  });

  test('that a sync has just written again are restored', async () => {
    const capsule = await seedCapsule(server);
    const { file, digest } = snapshot(capsule, 'again', clock.now() - 40 * day);
    const store = server.ledger((db) => createGcStore(db));
    // The worker writes between the decision and the removal.
    const needed = () => {
      fs.utimesSync(file, clock.now() / 1_000, clock.now() / 1_000);
      return new Set<string>();
    };
    const run = createSweep({
      store: { ...store, listNeededSnapshots: needed },
      folders: gcFoldersOf(server.dataDir),
      clock,
      log: createLog('warn'),
      keepDays: 30,
      configs: { deleteProposals: () => 0 },
      plans: { deletePlans: () => 0 },
      deleteRuns: () => 0,
    });
    expect((await run({ isDiskLow: false, signal: new AbortController().signal })).removed).toEqual({});
    expect(fs.existsSync(archivePath(at('archives'), digest))).toBe(true);
  });

  test('that nothing needs are removed at once when the disk is nearly full, and no others', async () => {
    const capsule = await seedCapsule(server);
    const first = snapshot(capsule, 'first');
    const second = snapshot(capsule, 'second');
    moveLane(capsule.sourceId, second.id);
    expect((await sweep({ later: 2 * hour })).removed).toEqual({});
    expect((await sweep({ later: 0, isDiskLow: true })).removed).toEqual({ archives: 1 });
    expect([first, second].map(({ file }) => fs.existsSync(file))).toEqual([false, true]);
  });
});
