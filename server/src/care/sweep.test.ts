import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { depth } from '../../../e2e/fixtures/depth.ts';
import { heldClock, startTestServer, type TestServer } from '../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun, seedState } from '../../test/ledger-rows.ts';
import { archivePath, writeArchive } from '../archive/index.ts';
import type { CapsuleRow } from '../capsules/index.ts';
import { createLog } from '../kernel/log.ts';
import { createSourcesStore } from '../sources/store.ts';
import { hashPackage } from '../tofu/index.ts';
import { careFoldersOf, createCareStore, createSweep } from './index.ts';

const hour = 3_600_000;
const day = 24 * hour;

let server: TestServer;
let clock: ReturnType<typeof heldClock>;
const start = Date.now();
beforeAll(async () => {
  clock = heldClock(start);
  server = await startTestServer({ clock });
});
afterAll(() => server.close());
/** Nothing of one test is there for the next, and it is the same day. */
afterEach(() => {
  clock.advance(start - clock.now());
  for (const name of ['runs', 'capsules', 'archives', 'providers', 'git', 'ledger-copies', 'bin'])
    fs.rmSync(at(name), { recursive: true, force: true });
  server.ledger(({ sqlite }) => {
    sqlite.exec("UPDATE runs SET status = 'cancelled' WHERE status IN ('queued', 'running', 'waiting_approval')");
    sqlite.exec("UPDATE capsules SET status = 'destroyed'");
    sqlite.exec('DELETE FROM source_lanes; DELETE FROM source_snapshots');
  });
});

const at = (...names: string[]) => path.join(server.dataDir, ...names);
const has = (...names: string[]) => fs.existsSync(at(...names));
function put(name: string, content = 'x'): string {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), content);
  return at(name);
}
const age = (target: string, ms: number): void => {
  const then = (clock.now() - ms) / 1_000;
  fs.utimesSync(target, then, then);
};
/** A day later than everything a test has just made, unless told. */
function sweep({ later = day, keepDays = 30, isDiskLow = false } = {}) {
  clock.advance(later);
  return server.ledger((db) =>
    createSweep({
      store: createCareStore(db),
      folders: careFoldersOf(server.dataDir),
      clock,
      log: createLog('warn'),
      keepDays,
    })({ isDiskLow, signal: new AbortController().signal }),
  );
}
const filesOf = (runId: string) => (has('runs', runId) ? fs.readdirSync(at('runs', runId)).sort() : undefined);

/** An ended Run with what a supervisor leaves in its folder. */
function endedRun(more: Parameters<typeof seedRun>[1], ...names: string[]): string {
  const { id } = seedRun(server, { set: { finishedAt: clock.now() }, ...more });
  for (const name of ['journal.ndjson', 'plan', 'status.json', ...names]) put(`runs/${id}/${name}`);
  return id;
}

describe('folders of Runs', () => {
  test('go when their plan cannot be applied any more, and not before', async () => {
    const capsule = await seedCapsule(server);
    const gone = await seedCapsule(server, { status: 'destroyed' });
    const expires = clock.now() + 3 * day;
    const open = seedPlan(server, capsule, { set: { planExpiresAt: expires, finishedAt: clock.now() } }).id;
    const waiting = seedPlan(server, capsule, { moves: ['claim', 'ask'], set: { planExpiresAt: expires } }).id;
    const ended = { finishedAt: clock.now() };
    const over = [
      seedPlan(server, capsule, { set: { ...ended, planExpiresAt: clock.now() + 1 } }).id,
      seedPlan(server, capsule, { set: { ...ended, planExpiresAt: expires, supersededAt: clock.now() } }).id,
      seedPlan(server, gone, { set: { ...ended, planExpiresAt: expires } }).id,
      endedRun({ capsuleId: capsule.id, moves: ['claim', 'fail'] }),
      endedRun({ capsuleId: capsule.id, moves: ['cancel'] }),
      endedRun({ capsuleId: capsule.id, type: 'drift_check', moves: ['claim', 'finish'] }),
      endedRun({ capsuleId: capsule.id, type: 'apply', moves: ['claim', 'finish'] }, 'state-000001-aabbccdd.tfstate'),
    ];
    const busy = seedRun(server, { capsuleId: capsule.id, moves: ['claim'] }).id;
    const queued = seedRun(server, { capsuleId: capsule.id }).id;
    for (const id of [busy, queued]) put(`runs/${id}/journal.ndjson`);
    expect((await sweep({ later: hour - 1 })).removed).toEqual({});
    const { removed, freedBytes } = await sweep({ later: 1 });
    expect(removed).toEqual({ runFolders: over.length });
    expect(freedBytes).toBeGreaterThan(0);
    expect(over.filter((id) => has('runs', id))).toEqual([]);
    expect([open, waiting, busy, queued].filter((id) => !has('runs', id))).toEqual([]);
    await sweep({ later: 3 * day });
    expect([open, waiting, busy, queued].map((id) => has('runs', id))).toEqual([false, true, true, true]);
  });

  test('of a plan stay as long as its apply waits or runs', async () => {
    const capsule = await seedCapsule(server);
    for (const [moves, isKept] of [
      [[], true],
      [['claim'], true],
      [['claim', 'finish'], false],
      [['claim', 'fail'], false],
    ] as const) {
      const plan = seedPlan(server, capsule, { set: { finishedAt: clock.now() } });
      const apply = seedRun(server, {
        type: 'apply',
        capsuleId: capsule.id,
        planRunId: plan.id,
        moves: [...moves],
        set: { finishedAt: clock.now() },
      });
      server.ledger((db) => db.sqlite.prepare('UPDATE runs SET apply_run_id = ? WHERE id = ?').run(apply.id, plan.id));
      await sweep();
      expect([moves, has('runs', plan.id)]).toEqual([moves, isKept]);
    }
  });

  test('of an apply that did not end well keep its states for a month, and nothing else', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const states = ['apply.json', 'emergency.tfstate', 'errored.tfstate', 'state-000003-aabbccdd.tfstate'];
    const failed = endedRun({ capsuleId, type: 'apply', moves: ['claim', 'fail'] }, ...states);
    const found = endedRun({ capsuleId, moves: ['claim', 'fail'] }, 'found.tfstate');
    const empty = endedRun({ capsuleId, type: 'apply', moves: ['claim', 'fail'] }, 'apply.json');
    expect((await sweep()).removed).toEqual({ runFolders: 3 });
    expect([filesOf(failed), filesOf(found), filesOf(empty)]).toEqual([states, ['found.tfstate'], undefined]);
    expect((await sweep({ later: 28 * day, keepDays: 1, isDiskLow: true })).removed).toEqual({});
    expect((await sweep({ later: day })).removed).toEqual({ runFolders: 2 });
    expect([has('runs', failed), has('runs', found)]).toEqual([false, false]);
  });

  test('that the ledger does not know stay a day, and states in them a month', async () => {
    put('runs/plan_unknown/journal.ndjson');
    put('runs/apply_unknown/journal.ndjson');
    put('runs/apply_unknown/state-000001-aabbccdd.tfstate');
    expect((await sweep({ later: day - hour })).removed).toEqual({});
    expect((await sweep({ later: 2 * hour })).removed).toEqual({ runFolders: 2 });
    expect(fs.readdirSync(at('runs'))).toEqual(['apply_unknown']);
    expect(filesOf('apply_unknown')).toEqual(['state-000001-aabbccdd.tfstate']);
    await sweep({ later: 31 * day });
    expect(fs.readdirSync(at('runs'))).toEqual([]);
  });

  test('of a supervisor that still lives stay, whatever the ledger says', async () => {
    const id = endedRun({ moves: ['claim', 'fail'] });
    const stat = fs.readFileSync(`/proc/${process.pid}/stat`, 'latin1');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const bootId = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    put(`runs/${id}/supervisor.json`, JSON.stringify({ pid: process.pid, startTime, bootId }));
    expect((await sweep({ later: 40 * day })).removed).toEqual({});
    put(`runs/${id}/supervisor.json`, JSON.stringify({ pid: process.pid, startTime: '1', bootId }));
    expect((await sweep()).removed).toEqual({ runFolders: 1 });
  });
});

describe('folders of Capsules', () => {
  test('that are gone lose all but the state at once, and that later', async () => {
    const updatedAt = clock.now();
    const live = await seedCapsule(server);
    const gone = await seedCapsule(server, { status: 'destroyed', updatedAt });
    for (const { id } of [live, gone])
      for (const name of ['tree/main.tf', 'data/x', 'home/y', 'tmp/z', 'state/terraform.tfstate', 'init.json'])
        put(`capsules/${id}/${name}`);
    put('capsules/cap_unknown/tree/main.tf');
    expect((await sweep({ later: hour - 1 })).removed).toEqual({});
    expect((await sweep({ later: 1 })).removed).toEqual({ capsuleFolders: 1 });
    expect(fs.readdirSync(at('capsules', gone.id))).toEqual(['state']);
    expect((await sweep({ later: day })).removed).toEqual({ capsuleFolders: 1 });
    expect(fs.readdirSync(at('capsules')).sort()).toEqual([gone.id, live.id].sort());
    expect((await sweep({ later: 30 * day })).removed).toEqual({ capsuleFolders: 1 });
    expect(fs.readdirSync(at('capsules'))).toEqual([live.id]);
    expect(fs.readdirSync(at('capsules', live.id)).length).toBe(6);
  });

  test('in which somebody works stay', async () => {
    const { id } = await seedCapsule(server, { status: 'destroyed' });
    put(`capsules/${id}/tree/main.tf`);
    const run = seedRun(server, { capsuleId: id });
    expect((await sweep()).removed).toEqual({});
    server.ledger((db) => db.sqlite.prepare("UPDATE runs SET status = 'cancelled' WHERE id = ?").run(run.id));
    expect((await sweep()).removed).toEqual({ capsuleFolders: 1 });
  });
});

/** An archive of its own with a snapshot of this Capsule's Source. */
function snapshot(capsule: CapsuleRow, mark: string, fetchedAt = clock.now()) {
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
    fetchedByRunId: 'ssr_1',
    fetchedAt,
  };
  server.ledger((db) => createSourcesStore(db).insertSnapshot(row));
  return { id, sourceId: capsule.sourceId, digest: written.digest, file: written.path };
}
const moveLane = (sourceId: string, snapshotId: string, ref = 'HEAD') =>
  server.ledger((db) =>
    createSourcesStore(db).moveLane({ sourceId, ref, path: '.', snapshotId, syncedAt: clock.now() }),
  );

describe('archives', () => {
  test('go when nothing needs their files any more; the snapshots stay', async () => {
    const capsule = await seedCapsule(server);
    const old = clock.now() - 31 * day;
    const named = (mark: string) => snapshot(capsule, mark, old);
    const [lane, adopted, running, planned, rolled, asked, lonely, shared] = [
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
        .run(asked?.id, capsule.installConfigId);
      // Two snapshots of the same files: the younger one keeps them for both.
      sqlite.prepare("UPDATE source_snapshots SET archive_digest = ? WHERE id = 'snap_young'").run(shared?.digest);
    });
    fs.rmSync(young.file);
    expect((await sweep({ later: 0 })).removed).toEqual({ archives: 1 });
    expect(fs.existsSync(lonely?.file ?? '')).toBe(false);
    for (const kept of [lane, adopted, running, planned, rolled, asked, shared])
      expect([kept?.id, fs.existsSync(kept?.file ?? '')]).toEqual([kept?.id, true]);
    const rows = server.ledger(({ sqlite }) => sqlite.prepare('SELECT count(*) FROM source_snapshots').pluck().get());
    expect(rows).toBe(9);
  });

  test('that no snapshot names stay a day: a sync may be about to name them', async () => {
    const { path: file } = writeArchive({ dir: at('archives'), entries: [] });
    expect((await sweep({ later: day - hour })).removed).toEqual({});
    expect((await sweep({ later: 2 * hour })).removed).toEqual({ archives: 1 });
    expect(fs.existsSync(file)).toBe(false);
  });

  test('that a sync has just written anew are put back', async () => {
    const capsule = await seedCapsule(server);
    const { file, digest } = snapshot(capsule, 'again', clock.now() - 40 * day);
    const store = server.ledger((db) => createCareStore(db));
    // The worker writes between the judgement and the taking.
    const needed = () => {
      fs.utimesSync(file, clock.now() / 1_000, clock.now() / 1_000);
      return new Set<string>();
    };
    const run = createSweep({
      store: { ...store, listNeededSnapshots: needed },
      folders: careFoldersOf(server.dataDir),
      clock,
      log: createLog('warn'),
      keepDays: 30,
    });
    expect((await run({ isDiskLow: false, signal: new AbortController().signal })).removed).toEqual({});
    expect(fs.existsSync(archivePath(at('archives'), digest))).toBe(true);
  });

  test('that nothing needs go at once from a disk that is nearly full, and no others', async () => {
    const capsule = await seedCapsule(server);
    const first = snapshot(capsule, 'first');
    const second = snapshot(capsule, 'second');
    moveLane(capsule.sourceId, second.id);
    expect((await sweep({ later: 2 * hour })).removed).toEqual({});
    expect((await sweep({ later: 0, isDiskLow: true })).removed).toEqual({ archives: 1 });
    expect([first, second].map(({ file }) => fs.existsSync(file))).toEqual([false, true]);
  });
});

const address = 'registry.opentofu.org/hashicorp/time';
/** A package under its hash, as an init files it. */
function storePackage(version: string): { folder: string; h1: string } {
  const staged = put(`staged/${version}/terraform-provider-time`, version);
  const h1 = hashPackage(path.dirname(staged));
  const hex = Buffer.from(h1.slice(3), 'base64').toString('hex');
  const folder = at('providers', address, version, 'linux_amd64', hex);
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  fs.renameSync(path.dirname(staged), folder);
  return { folder, h1 };
}
const lockOf = (version: string, h1: string) =>
  `provider "${address}" {\n  version = "${version}"\n  hashes = [\n    "${h1}",\n  ]\n}\n`;

describe('provider packages', () => {
  test('go a month after the last lock of a live Capsule that named them', async () => {
    const capsule = await seedCapsule(server);
    const [used, planned, unused] = ['0.1.0', '0.2.0', '0.3.0'].map(storePackage) as { folder: string; h1: string }[];
    const seal = (version: string, h1: string | undefined, createdAt: number) => ({
      seal: { lock: lockOf(version, h1 ?? ''), createdAt },
      set: { finishedAt: clock.now(), planExpiresAt: clock.now() + 100 * day },
    });
    seedPlan(server, capsule, seal('0.2.0', planned?.h1, 1));
    seedPlan(server, capsule, {
      ...seal('0.1.0', used?.h1, 2),
      set: { finishedAt: clock.now(), planExpiresAt: clock.now(), supersededAt: clock.now() },
    });
    fs.mkdirSync(at('providers/views/abc', address), { recursive: true });
    fs.symlinkSync(unused?.folder ?? '', at('providers/views/abc', address, '0.3.0'));
    put('providers/.half-fetched/file');
    expect((await sweep({ later: 29 * day })).removed).toMatchObject({ runFolders: 1 });
    expect(fs.existsSync(unused?.folder ?? '')).toBe(true);
    const { removed } = await sweep({ later: 2 * day });
    expect(removed).toEqual({ providerPackages: 1 });
    expect([used, planned, unused].map((item) => fs.existsSync(item?.folder ?? ''))).toEqual([true, true, false]);
    expect(fs.readdirSync(at('providers', address))).toEqual(['0.1.0', '0.2.0']);
    expect([has('providers/views/abc'), has('providers/.half-fetched')]).toEqual([false, false]);
    server.ledger(({ sqlite }) => sqlite.exec("UPDATE capsules SET status = 'destroyed'"));
    expect((await sweep({ later: 29 * day })).removed).not.toHaveProperty('providerPackages');
    expect(fs.existsSync(used?.folder ?? '')).toBe(true);
    await sweep({ later: 80 * day });
    expect(fs.existsSync(used?.folder ?? '')).toBe(false);
  });

  test('stay while a Run of the tool waits or runs', async () => {
    const { folder } = storePackage('0.1.0');
    seedRun(server, { capsuleId: (await seedCapsule(server)).id });
    expect((await sweep({ later: 90 * day })).removed).toEqual({});
    expect(fs.existsSync(folder)).toBe(true);
  });
});

test('what was cut off or is outdated goes, and the rest of the folder stays as it is', async () => {
  const { sourceId } = await seedCapsule(server);
  const unfinished = ['runtime.json.new', 'archives/.1234.tmp', `git/${sourceId}/.1234.tmp`, 'keys/x.key.tmp'];
  const copies = ['ledger-2030-01.db', 'ledger-2030-02.db', 'ledger-2030-03.db'].map((name) => `ledger-copies/${name}`);
  const kept = [`git/${sourceId}/${'a'.repeat(40)}.pack`, copies[2] ?? '', 'operator-token', 'ledger.db', 'last-port'];
  const pack = `git/src_gone/${'b'.repeat(40)}.pack`;
  for (const name of [...unfinished, ...copies, pack, kept[0] ?? '']) put(name);
  put('bin/left-by-a-sweep-that-was-cut-off/file');
  await sweep({ later: day - hour });
  expect([has('bin/left-by-a-sweep-that-was-cut-off'), has(pack)]).toEqual([false, true]);
  expect((await sweep({ later: 2 * hour })).removed).toEqual({ unfinishedFiles: 4, repositories: 1 });
  expect((await sweep({ later: 30 * day })).removed).toEqual({ ledgerCopies: 2 });
  expect([...unfinished, ...copies.slice(0, 2), pack].filter((name) => has(name))).toEqual([]);
  expect(kept.filter((name) => !has(name))).toEqual([]);
});

test('a sweep that is told to end stops between two things, and the next one goes on', async () => {
  for (let n = 0; n < 5; n += 1) endedRun({ moves: ['claim', 'fail'] });
  clock.advance(day);
  const stop = new AbortController();
  const store = server.ledger((db) => createCareStore(db));
  let asked = 0;
  const findRun: typeof store.findRun = (id) => {
    asked += 1;
    if (asked === 3) stop.abort();
    return store.findRun(id);
  };
  const folders = careFoldersOf(server.dataDir);
  const log = createLog('warn');
  const cut = await createSweep({ store: { ...store, findRun }, folders, clock, log, keepDays: 30 })({
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

test(`over ${worlds} random histories, what may be applied or planned keeps its files and the ledger all its rows`, {
  timeout: 600_000,
}, async () => {
  const capsules = await Promise.all([1, 2, 3].map(() => seedCapsule(server)));
  for (let seed = 1; seed <= worlds; seed += 1) {
    const random = randomOf(seed);
    const capsule = capsules[Math.floor(random() * capsules.length)] as CapsuleRow;
    const made = snapshot(capsule, `w${seed}`, clock.now() - Math.floor(random() * 60) * day);
    if (random() < 0.5) moveLane(capsule.sourceId, made.id, `ref-${Math.floor(random() * 3)}`);
    const moves = [['claim', 'finish'], ['claim', 'ask'], ['claim', 'fail'], ['claim'], []] as const;
    seedPlan(server, capsule, {
      moves: [...(moves[Math.floor(random() * moves.length)] ?? [])],
      facts: { policyStatus: 'pass', sourceSnapshotId: made.id },
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

/** Small and seeded, so that a failure can be played again. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
