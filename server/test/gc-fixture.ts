import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import type { CapsuleRow } from '../src/domains/capsules/index.ts';
import { createDeleteRuns, createGcStore, createSweep, gcFoldersOf } from '../src/domains/gc/index.ts';
import { createPlansStore } from '../src/domains/plans/index.ts';
import { createRunsStore } from '../src/domains/runs/store.ts';
import { createSourcesStore } from '../src/domains/sources/store.ts';
import { createUsageStore } from '../src/domains/usage/index.ts';
import { writeArchive } from '../src/drivers/archive/index.ts';
import { createLog } from '../src/kernel/log.ts';
import { heldClock, startTestServer, type TestServer } from './harness.ts';
import { seedRun } from './ledger-rows.ts';

export const hour = 3_600_000;
export const day = 24 * hour;

/** The server of this file's tests, from `serveSweeps` on. */
export let server: TestServer;
const start = Date.now();
/** The clock of the server and its sweeps. */
export const clock = heldClock(start);

/** One server for all tests of a file; each test starts with an empty state on the same day. */
export function serveSweeps(): void {
  beforeAll(async () => {
    server = await startTestServer({ clock });
  });
  afterAll(() => server.close());
  afterEach(() => {
    clock.advance(start - clock.now());
    for (const name of ['runs', 'capsules', 'archives', 'providers', 'git', 'ledger-copies', 'bin'])
      removeTree(at(name));
    server.ledger(({ sqlite }) => {
      sqlite.exec("UPDATE runs SET status = 'cancelled' WHERE status IN ('queued', 'running', 'waiting_approval')");
      sqlite.exec("UPDATE capsules SET status = 'destroyed'");
      sqlite.exec('DELETE FROM source_lanes; DELETE FROM source_snapshots');
    });
  });
}

/** A path in the data folder. */
export const at = (...names: string[]) => path.join(server.dataDir, ...names);
/** Reports whether it is in the data folder. */
export const has = (...names: string[]) => fs.existsSync(at(...names));
/** Writes a file of the data folder and returns its path. */
export function put(name: string, content: string | Buffer = 'x'): string {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), content);
  return at(name);
}
const age = (target: string, ms: number): void => {
  const then = (clock.now() - ms) / 1_000;
  fs.utimesSync(target, then, then);
};
/** Sweeps; by default a day later than everything a test has just created. */
export function sweep({ later = day, keepDays = 30, isDiskLow = false, isHeld = (): boolean => false } = {}) {
  clock.advance(later);
  return server.ledger((db) =>
    createSweep({
      store: createGcStore(db),
      folders: gcFoldersOf(server.dataDir),
      clock,
      log: createLog('warn'),
      keepDays,
      isHeld,
      configs: { deleteProposals: () => 0 },
      plans: { deletePlans: createPlansStore(db).deleteArtifacts },
      deleteRuns: createDeleteRuns({
        db,
        runs: { store: createRunsStore(db) },
        plans: { deletePlans: createPlansStore(db).deleteArtifacts },
        usage: createUsageStore(db),
      }),
    })({ isDiskLow, signal: new AbortController().signal }),
  );
}
/** Returns the remaining files in the folder of a Run, `undefined` for no folder. */
export const filesOf = (runId: string) => (has('runs', runId) ? fs.readdirSync(at('runs', runId)).sort() : undefined);

/** An ended Run with the files that a supervisor leaves in its folder. */
export function endedRun(more: Parameters<typeof seedRun>[1], ...names: string[]): string {
  const { id } = seedRun(server, { set: { finishedAt: clock.now() }, ...more });
  for (const name of ['journal.ndjson', 'plan', 'status.json', ...names]) put(`runs/${id}/${name}`);
  return id;
}
/** A separate archive with a snapshot of this Capsule's Source. */
export function snapshot(capsule: CapsuleRow, mark: string, fetchedAt = clock.now()) {
  const written = writeArchive({
    dir: at('archives'),
    entries: [{ path: 'main.tf', executable: false, bytes: Buffer.from(mark) }],
  });
  age(written.path, clock.now() - fetchedAt);
  const id = `snap_${mark}`;
  const row = {
    id,
    workspaceId: server.workspaceId,
    sourceId: capsule.sourceId,
    url: 'https://example.com/a',
    ref: 'HEAD',
    resolvedCommit: mark,
    path: '.',
    archiveDigest: written.digest,
    archiveSizeBytes: written.sizeBytes,
    repositoryManifest: { status: 'absent' as const },
    leftOut: [],
    commit: null,
    fetchedByRunId: 'ssr_1',
    fetchedAt,
  };
  server.ledger((db) => createSourcesStore(db).insertSnapshot(row));
  return { id, sourceId: capsule.sourceId, digest: written.digest, file: written.path };
}
/** Makes a snapshot the newest of its lane. */
export const moveLane = (sourceId: string, snapshotId: string, ref = 'HEAD') =>
  server.ledger((db) =>
    createSourcesStore(db).moveLane({ sourceId, ref, path: '.', snapshotId, syncedAt: clock.now() }),
  );
