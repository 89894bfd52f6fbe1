import fs from 'node:fs';
import { expect, test } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import {
  at,
  clock,
  day,
  endedRun,
  has,
  hour,
  moveLane,
  put,
  server,
  serveSweeps,
  snapshot,
  sweep,
} from '../../../test/gc-fixture.ts';
import { seedCapsule, seedPlan, seedState } from '../../../test/ledger-rows.ts';
import { archivePath } from '../../drivers/archive/index.ts';
import { createLog } from '../../kernel/log.ts';
import { createGcStore, createSweep, gcFoldersOf } from './index.ts';

serveSweeps();

test('interrupted writes and outdated files are removed, and the rest of the folder is unchanged', async () => {
  const { sourceId } = await seedCapsule(server);
  const unfinished = [
    'runtime.json.new',
    'archives/.1234.tmp',
    `git/${sourceId}/.1234.tmp`,
    'keys/x.key.tmp',
    'forms/a.json.tmp',
    'forms/native/b.json.tmp',
  ];
  const copies = ['ledger-2030-01.db', 'ledger-2030-02.db', 'ledger-2030-03.db'].map((name) => `ledger-copies/${name}`);
  const retained = [
    `git/${sourceId}/${'a'.repeat(40)}.pack`,
    copies[2] ?? '',
    'operator-token',
    'ledger.db',
    'last-port',
  ];
  const pack = `git/src_gone/${'b'.repeat(40)}.pack`;
  for (const name of [...unfinished, ...copies, pack, retained[0] ?? '']) put(name);
  put('bin/left-by-a-sweep-that-was-cut-off/file');
  await sweep({ later: day - hour });
  expect([has('bin/left-by-a-sweep-that-was-cut-off'), has(pack)]).toEqual([false, true]);
  expect((await sweep({ later: 2 * hour })).removed).toEqual({ unfinishedFiles: 6, repositories: 1 });
  expect((await sweep({ later: 30 * day })).removed).toEqual({ ledgerCopies: 2 });
  expect([...unfinished, ...copies.slice(0, 2), pack].filter((name) => has(name))).toEqual([]);
  expect(retained.filter((name) => !has(name))).toEqual([]);
});

test('a sweep that is stopped ends between two items, and the next one continues', async () => {
  for (let n = 0; n < 5; n += 1) endedRun({ moves: ['claim', 'fail'] });
  clock.advance(day);
  const stop = new AbortController();
  const store = server.ledger((db) => createGcStore(db));
  let calls = 0;
  const findRun: typeof store.findRun = (id) => {
    calls += 1;
    if (calls === 3) stop.abort();
    return store.findRun(id);
  };
  const folders = gcFoldersOf(server.dataDir);
  const log = createLog('warn');
  const cut = await createSweep({
    store: { ...store, findRun },
    folders,
    clock,
    log,
    keepDays: 30,
    configs: { deleteProposals: () => 0 },
    plans: { deletePlans: () => 0 },
    deleteRuns: () => 0,
  })({
    isDiskLow: false,
    signal: stop.signal,
  });
  expect(cut).toEqual({ removed: { runFolders: 3 }, freedBytes: 0 });
  expect(fs.readdirSync(at('bin')).length).toBe(3);
  const { removed, freedBytes } = await sweep({ later: 0 });
  expect([removed, freedBytes]).toEqual([{ runFolders: 2 }, 15]);
  expect([fs.readdirSync(at('runs')), fs.readdirSync(at('bin'))]).toEqual([[], []]);
});

const worlds = depth({ quick: 12, deep: 300 });

test(`over ${worlds} random histories, whatever may be applied or planned keeps its files and the ledger all its rows`, {
  timeout: 600_000,
}, async () => {
  const capsules = await Promise.all([1, 2, 3].map(() => seedCapsule(server)));
  for (let seed = 1; seed <= worlds; seed += 1) {
    const random = randomOf(seed);
    const histories = [['claim', 'finish'], ['claim', 'requestApproval'], ['claim', 'fail'], ['claim'], []] as const;
    const moves = histories[Math.floor(random() * histories.length)] ?? [];
    // A Capsule has one running Run at most, and this one is kept.
    const isRunning = moves.length === 1;
    const capsule = isRunning
      ? await seedCapsule(server)
      : (capsules[Math.floor(random() * capsules.length)] as CapsuleRow);
    const created = snapshot(capsule, `w${seed}`, clock.now() - Math.floor(random() * 60) * day);
    if (random() < 0.5) moveLane(capsule.sourceId, created.id, `ref-${Math.floor(random() * 3)}`);
    seedPlan(server, capsule, {
      moves,
      facts: { policyStatus: 'pass', sourceSnapshotId: created.id },
      set: {
        finishedAt: clock.now() - Math.floor(random() * 40) * day,
        planExpiresAt: clock.now() + Math.floor(random() * 20 - 5) * day,
        ...(random() < 0.3 && { supersededAt: clock.now() }),
      },
    });
    if (random() < 0.3) seedState(server, capsule, { generation: seed });
    const rows = countRows();
    await sweep({
      later: Math.floor(random() * 5) * day,
      keepDays: 1 + Math.floor(random() * 40),
      isDiskLow: random() < 0.3,
    });
    expect(countRows()).toEqual(rows);
    const broken = server
      .ledger(
        ({ sqlite }) =>
          sqlite
            .prepare(
              `SELECT r.id, s.archive_digest AS digest FROM runs r
           JOIN source_snapshots s ON s.id = r.facts ->> '$.sourceSnapshotId'
           WHERE r.status IN ('queued', 'running', 'waiting_approval')
             OR (r.status = 'succeeded' AND r.superseded_at IS NULL AND r.plan_expires_at > ?)`,
            )
            .all(clock.now()) as { id: string; digest: string }[],
      )
      .filter(({ id, digest }) => !has('runs', id, 'plan') || !fs.existsSync(archivePath(at('archives'), digest)));
    expect([seed, broken]).toEqual([seed, []]);
    const heads = server.ledger(
      ({ sqlite }) =>
        sqlite
          .prepare('SELECT archive_digest FROM source_lanes JOIN source_snapshots ON id = snapshot_id')
          .pluck()
          .all() as string[],
    );
    expect(heads.filter((digest) => !fs.existsSync(archivePath(at('archives'), digest)))).toEqual([]);
  }
});

const countRows = () =>
  server.ledger(({ sqlite }) =>
    ['runs', 'state_versions', 'source_snapshots', 'plan_artifacts', 'capsules', 'audit_events'].map((table) =>
      sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    ),
  );

/** Small and seeded, so that a failure can be reproduced. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
