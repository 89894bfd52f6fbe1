import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, testKeyFile } from '../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun } from '../../test/ledger-rows.ts';
import { createActivityService } from '../activity/index.ts';
import { writeArchive } from '../archive/index.ts';
import { systemClock } from '../kernel/clock.ts';
import type { LedgerView } from '../kernel/db.ts';
import { digestOf, jsonDigest } from '../kernel/digest.ts';
import { createCursors } from '../kernel/page.ts';
import { viewKeys } from '../key-host.ts';
import { builtArchive } from '../runner/index.ts';
import { sealedColumns } from '../sealed-columns.ts';
import { createSourcesStore } from '../sources/store.ts';
import { createStatesStore } from '../states/store.ts';
import { emptyState, hashPackage } from '../tofu/index.ts';
import type { Vault } from '../vault/index.ts';
import { examine, type Machine, openExamination } from './index.ts';

const minute = 60_000;

let server: TestServer;
let now: number;
let machine: Machine;
beforeEach(() => {
  now = Date.now();
  machine = {
    findTool: async () => ({ name: 'tofu', version: '1.12.6', path: '/nowhere/tofu' }),
    probe: async () => ({ sandbox: 'bwrap', network: 'isolated' }),
    freeBytes: () => 1e12,
    shortfall: () => undefined,
  };
});

/** A server for each test, where the test harms what no other can go on with. */
function useServerEach(): void {
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());
}

/** One server for all tests of a group: what one leaves is nothing to say for the next. */
function useServer(): void {
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());
  afterEach(() => {
    for (const name of ['runs', 'capsules', 'archives', 'providers'])
      fs.rmSync(at(name), { recursive: true, force: true });
    sql("UPDATE runs SET status = 'cancelled' WHERE status IN ('queued', 'running', 'waiting_approval')");
    sql('UPDATE runs SET superseded_at = 1 WHERE superseded_at IS NULL');
    sql('DELETE FROM source_lanes');
  });
}

const at = (...names: string[]) => path.join(server.dataDir, ...names);
function put(name: string, content = 'x'): string {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true, mode: 0o700 });
  fs.writeFileSync(at(name), content);
  return at(name);
}
const openVault = (ledger: LedgerView): Promise<Vault> =>
  viewKeys(ledger, {
    dataDir: server.dataDir,
    keySource: undefined,
    keyFile: testKeyFile(server.dataDir),
    passphraseFile: undefined,
  });

/** What the doctor says: check, level, subject. */
async function look() {
  const { examination, close } = await openExamination({
    dataDir: server.dataDir,
    clock: { now: () => now },
    machine,
    sealedColumns,
    openVault,
  });
  try {
    return await examine(examination);
  } finally {
    close();
  }
}
async function said(): Promise<(string | undefined)[][]> {
  const reports = await look();
  const findings = reports.flatMap(({ name, findings: found }) => found.map((one) => ({ name, ...one })));
  for (const { message, remedy } of findings) expect([message, remedy].join(' ')).toMatch(/^\S.*[.\w>] [A-Z].*/);
  return findings.map(({ name, level, subject }) => [name, level, subject]);
}
/** Ends the server and leaves the data folder. */
async function withoutServer<T>(work: () => Promise<T>): Promise<T> {
  const copy = fs.mkdtempSync(`${server.dataDir}-copy-`);
  const { dataDir } = server;
  server.ledger(({ sqlite }) => sqlite.pragma('wal_checkpoint(TRUNCATE)'));
  fs.cpSync(dataDir, copy, { recursive: true });
  for (const name of ['runtime.json', 'ledger.db-wal', 'ledger.db-shm'])
    fs.rmSync(path.join(copy, name), { force: true });
  const running = server;
  server = { ...running, dataDir: copy };
  try {
    return await work();
  } finally {
    server = running;
    fs.rmSync(copy, { recursive: true });
  }
}
const sql = (statement: string, ...values: unknown[]) =>
  server.ledger(({ sqlite }) => sqlite.prepare(statement).run(...values));

/** Says of every Run that was seeded past the services that it happened. */
async function tellRuns(): Promise<void> {
  const key = (await openVault(server.ledger((db) => db))).installationKey('audit');
  server.ledger((db) => {
    const cursors = createCursors(() => 'x');
    const activity = createActivityService({ db, clock: systemClock, cursors, installationKey: () => key });
    const ids = db.sqlite.prepare('SELECT id FROM runs').pluck().all() as string[];
    for (const id of ids) activity.record({ action: 'run.seeded', targetType: 'run', targetId: id, runId: id });
  });
}

describe('a data folder in order', () => {
  useServer();

  test('gives nothing to say, served or not, and is left as it was', async () => {
    await seedCapsule(server);
    const reports = await look();
    expect(reports.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(reports.length).toBeGreaterThanOrEqual(17);
    await withoutServer(async () => {
      const before = contentOf(server.dataDir);
      expect(await said()).toEqual([]);
      expect(contentOf(server.dataDir)).toEqual(before);
    });
  });
});

const contentOf = (dir: string): [string, number, string][] =>
  fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [file, fs.statSync(file).mtimeMs, digestOf(fs.readFileSync(file))]);

describe('the folder and its server', () => {
  useServer();

  test('files that others may read are named', async () => {
    fs.chmodSync(server.dataDir, 0o755);
    fs.chmodSync(at('operator-token'), 0o640);
    expect(await said()).toEqual([
      ['folder', 'problem', server.dataDir],
      ['folder', 'problem', at('operator-token')],
    ]);
    fs.chmodSync(server.dataDir, 0o700);
    fs.chmodSync(at('operator-token'), 0o600);
  });

  test('what a killed server has left is noted, and one that does not answer is a problem', async () => {
    await withoutServer(async () => {
      put('runtime.json', '{"pid":1,"url":"http://127.0.0.1:1","startedAt":"","version":""}');
      fs.chmodSync(at('runtime.json'), 0o600);
      expect(await said()).toEqual([['server', 'note', at('runtime.json')]]);
    });
    const runtime = fs.readFileSync(at('runtime.json'), 'utf8');
    fs.writeFileSync(at('runtime.json'), runtime.replace(/:\d+"/, ':1"'));
    expect(await said()).toEqual([['server', 'problem', undefined]]);
    fs.writeFileSync(at('runtime.json'), runtime);
  });

  test('a disk that is nearly full, a machine without tool or sandbox, and a clock that went back are told', async () => {
    machine = {
      findTool: async () => undefined,
      probe: async () => ({ sandbox: 'none', network: 'shared' }),
      freeBytes: () => 1e6,
      shortfall: () => 'No control group can be made here.',
    };
    now -= 6 * minute;
    expect(await said()).toEqual([
      ['disk', 'problem', server.dataDir],
      ['clock', 'problem', undefined],
      ['machine', 'problem', undefined],
      ['machine', 'note', undefined],
      ['machine', 'note', undefined],
    ]);
    machine.shortfall = () => undefined;
    machine.probe = async () => ({ sandbox: 'bwrap', network: 'shared' });
    machine.freeBytes = () => 1e9;
    now += 6 * minute;
    expect((await said()).map(([name, level]) => `${name} ${level}`)).toEqual([
      'disk note',
      'machine problem',
      'machine note',
    ]);
  });
});

describe('the ledger', () => {
  useServerEach();

  test('that is missing, or no ledger at all, is said, and the rest is looked at as far as it can be', async () => {
    await withoutServer(async () => {
      fs.writeFileSync(at('ledger.db'), 'this is no ledger, and long enough to be looked into by a program'.repeat(50));
      expect(await said()).toEqual([['ledger', 'problem', undefined]]);
      fs.rmSync(at('ledger.db'));
      const reports = await look();
      expect(reports.filter(({ outcome }) => outcome === 'skipped').length).toBeGreaterThan(5);
      expect(reports.find(({ name }) => name === 'ledger')?.findings[0]?.message).toMatch(/no ledger/);
    });
  });

  test('with damaged pages or loose rows is found', async () => {
    sql('PRAGMA foreign_keys = OFF');
    const { sourceId } = await seedCapsule(server);
    sql('DELETE FROM sources WHERE id = ?', sourceId);
    expect(await said()).toEqual([['ledger', 'problem', undefined]]);
    await withoutServer(async () => {
      const file = fs.openSync(at('ledger.db'), 'r+');
      const pages = Math.floor(fs.fstatSync(file).size / 4_096);
      for (let page = 2; page < pages; page += 1) fs.writeSync(file, Buffer.alloc(2_000, 7), 0, 2_000, page * 4_096);
      fs.closeSync(file);
      expect((await said()).filter(([name]) => name === 'ledger').length).toBeGreaterThan(0);
    });
  });

  test('of another version is left alone', async () => {
    await withoutServer(async () => {
      const { examination, close } = await openExamination({
        dataDir: server.dataDir,
        clock: systemClock,
        machine,
        sealedColumns,
        openVault,
      });
      for (const pending of [1, -1]) {
        const { care: _, vault: __, ...rest } = examination;
        const reports = await examine({ ...rest, pendingMigrations: pending });
        const found = reports.flatMap(({ name, findings }) => findings.map(({ level }) => [name, level]));
        expect(found).toEqual([['migrations', pending > 0 ? 'note' : 'problem']]);
      }
      close();
    });
  });

  test('whose trail was cut or altered, or tells of fewer Runs than there are, is found', async () => {
    sql('DROP TRIGGER audit_events_no_update');
    sql('DROP TRIGGER audit_events_no_delete');
    sql('SAVEPOINT before');
    sql("UPDATE audit_events SET action = 'x' WHERE seq = 2");
    sql('RELEASE before');
    expect(await said()).toEqual([['trail', 'problem', 'row 2']]);
  });

  test('put back to an older trail with its own head is found by the Runs it does not tell', async () => {
    const capsule = await seedCapsule(server);
    sql('DROP TRIGGER audit_events_no_delete');
    const [seq, hash, mac] = server.ledger(
      ({ sqlite }) => sqlite.prepare('SELECT seq, hash, mac FROM audit_head').raw().get() as [number, string, string],
    );
    const run = seedRun(server, { capsuleId: capsule.id, moves: ['cancel'] });
    await tellRuns();
    expect(await said()).toEqual([]);
    sql('DELETE FROM audit_events WHERE seq > ?', seq);
    sql('UPDATE audit_head SET seq = ?, hash = ?, mac = ?', seq, hash, mac);
    expect(await said()).toEqual([['trail', 'problem', run.id]]);
  });
});

describe('what is sealed', () => {
  useServerEach();

  test('a key that is gone or another one is said, and nothing that needs it is looked at', async () => {
    await withoutServer(async () => {
      fs.rmSync(testKeyFile(server.dataDir));
      const reports = await look();
      expect(reports.filter(({ outcome }) => outcome !== 'ok').map(({ name, outcome }) => [name, outcome])).toEqual([
        ['key', 'problem'],
        ['trail', 'skipped'],
        ['states', 'skipped'],
      ]);
    });
  });

  test('a value that was altered, or moved to another row, does not open', async () => {
    const one = await seedCapsule(server);
    const other = await seedCapsule(server);
    expect(await said()).toEqual([]);
    sql(
      'UPDATE sources SET hook_secret = (SELECT hook_secret FROM sources WHERE id = ?) WHERE id = ?',
      one.sourceId,
      other.sourceId,
    );
    expect(await said()).toEqual([['key', 'problem', other.sourceId]]);
  });

  test('a StateVersion that does not open, is another, or is not what its row says is named', async () => {
    const states: Record<string, string> = {};
    for (const name of ['whole', 'altered', 'other', 'misnamed', 'outputs'])
      states[name] = await commitState((await seedCapsule(server)).id, name);
    expect(await said()).toEqual([]);
    const flip = "substr(state, 1, length(state) - 1) || x'00'";
    sql(`UPDATE state_versions SET state = CAST(${flip} AS BLOB) WHERE id = ?`, states['altered']);
    sql('UPDATE state_versions SET state_digest = ? WHERE id = ?', digestOf('another'), states['other']);
    sql('UPDATE state_versions SET serial = serial + 1 WHERE id = ?', states['misnamed']);
    sql('UPDATE outputs SET workspace_outputs = \'{"a":2}\' WHERE state_version_id = ?', states['outputs']);
    const found = (await said()).filter(([name]) => name === 'states').map(([, , subject]) => subject);
    expect(found.sort()).toEqual(['altered', 'other', 'misnamed', 'outputs'].map((name) => states[name]).sort());
    sql('UPDATE capsules SET current_state_generation = 7 WHERE current_state_version_id = ?', states['whole']);
    expect((await said()).filter(([name]) => name === 'capsules').length).toBe(1);
  });
});

/** A state sealed with the server's own key, which becomes the current one of the Capsule. */
async function commitState(capsuleId: string, id: string): Promise<string> {
  const { workspaceId } = server;
  const text = emptyState(`lineage-${id}`, '1.12.6');
  const context = { table: 'state_versions', row: id, column: 'state', workspaceId };
  const sealed = await sealAs(context, text);
  const shown = { a: 1 };
  server.ledger((db) => {
    const store = createStatesStore(db);
    const stamps = { workspaceId, capsuleId, createdAt: now };
    store.insertState({
      ...stamps,
      id,
      environment: 'test',
      generation: 1,
      createdByRunId: `apply_${id}`,
      sourceSnapshotId: null,
      resourceCount: 0,
      partial: false,
      lineage: `lineage-${id}`,
      serial: 0,
      toolName: 'tofu',
      stateDigest: digestOf(text),
      state: sealed,
    });
    store.insertOutput({
      ...stamps,
      id: `out_${id}`,
      stateVersionId: id,
      stateGeneration: 1,
      publicOutputs: shown,
      workspaceOutputs: shown,
      outputDigest: jsonDigest(shown),
    });
    db.sqlite
      .prepare('UPDATE capsules SET current_state_version_id = ?, current_state_generation = 1 WHERE id = ?')
      .run(id, capsuleId);
  });
  return id;
}
const sealAs = async (context: Parameters<Vault['seal']>[0], text: string): Promise<Buffer> =>
  (await openVault(server.ledger((db) => db))).seal(context, Buffer.from(text));

describe('Runs', () => {
  useServer();

  test('that nobody looks after are a problem while a server runs, and otherwise', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const heard = seedRun(server, { capsuleId, moves: ['claim'], set: { heartbeatAt: now, startedAt: now } });
    const silent = seedRun(server, { capsuleId, moves: ['claim'], set: { heartbeatAt: now - 61_000 } });
    const late = seedRun(server, {
      capsuleId,
      moves: ['claim', 'ask'],
      set: { planExpiresAt: now - 6 * minute },
    });
    const queued = seedRun(server, { capsuleId, set: { createdAt: now - 61 * minute } });
    await tellRuns();
    expect(await said()).toEqual([
      ['runs', 'problem', silent.id],
      ['runs', 'problem', late.id],
    ]);
    await withoutServer(async () => {
      supervise(heard.id);
      expect(await said()).toEqual([
        ['runs', 'note', heard.id],
        ['runs', 'problem', silent.id],
        ['runs', 'note', queued.id],
      ]);
    });
    sql("UPDATE runs SET status = 'failed', finished_at = ? WHERE status = 'running'", now);
    expect(await said()).toEqual([
      ['runs', 'problem', queued.id],
      ['runs', 'problem', late.id],
    ]);
  });

  test('whose plan waits for a person have their sealed file, and it is the one that was reviewed', async () => {
    const capsule = await seedCapsule(server);
    const seal = { planFileDigest: digestOf('sealed') };
    const whole = seedPlan(server, capsule, { seal });
    const altered = seedPlan(server, capsule, { seal });
    const missing = seedPlan(server, capsule, { seal, file: false, moves: ['claim', 'ask'] });
    const unsealed = seedPlan(server, capsule, { seal: null });
    const over = seedPlan(server, capsule, { seal, file: false, set: { planExpiresAt: now - 1 } });
    const builtDigest = digestOf('built');
    const [built, unbuilt] = [1, 2].map(() => seedPlan(server, capsule, { seal: { ...seal, builtDigest } }));
    put(path.relative(server.dataDir, builtArchive(at('runs', built?.id ?? ''), builtDigest)), 'built');
    await tellRuns();
    put(`runs/${altered.id}/plan`, 'SEALED');
    expect(await said()).toEqual([altered, missing, unsealed, unbuilt].map((plan) => ['plans', 'problem', plan?.id]));
    expect([whole, over].length).toBe(2);
  });

  test('that have ended leave no process, and no folder is of an unknown Run or Capsule', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const ended = seedRun(server, { moves: ['claim', 'fail'], set: { finishedAt: now - minute } });
    await tellRuns();
    supervise(ended.id);
    put('runs/plan_unknown/plan');
    put('capsules/cap_unknown/tree/main.tf');
    own(capsuleId, self());
    expect(await said()).toEqual([
      ['stray-folders', 'note', at('runs/plan_unknown')],
      ['stray-folders', 'note', at('capsules/cap_unknown')],
      ['leftovers', 'problem', ended.id],
      ['leftovers', 'problem', at('capsules', capsuleId)],
    ]);
    own(capsuleId, { ...self(), startTime: '1' });
    expect((await said()).at(-1)).toEqual(['leftovers', 'note', at('capsules', capsuleId)]);
  });
});

/** This very process, as a supervisor writes itself down. */
const self = () => {
  const stat = fs.readFileSync(`/proc/${process.pid}/stat`, 'latin1');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const bootId = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return { pid: process.pid, startTime, bootId };
};
const supervise = (runId: string) => put(`runs/${runId}/supervisor.json`, JSON.stringify(self()));
const own = (capsuleId: string, identity: ReturnType<typeof self>) => {
  const gone = { ...self(), startTime: '1' };
  const owner = { runId: 'plan_x', supervisor: gone, tool: { command: 'apply', identity } };
  put(`capsules/${capsuleId}/owner.json`, JSON.stringify(owner));
};

describe('files', () => {
  useServer();

  test('of snapshots are there while something needs them, and are those that were recorded', async () => {
    const { sourceId } = await seedCapsule(server);
    const made = ['whole', 'altered', 'missing', 'collected'].map((mark) => {
      const entries = [{ path: 'main.tf', executable: false, bytes: Buffer.from(mark) }];
      const written = writeArchive({ dir: at('archives'), entries });
      const id = `snap_${mark}`;
      server.ledger((db) => {
        const store = createSourcesStore(db);
        store.insertSnapshot({
          id,
          workspaceId: server.workspaceId,
          sourceId,
          url: 'https://example.com/a',
          ref: 'HEAD',
          resolvedCommit: mark,
          path: '.',
          archiveDigest: written.digest,
          archiveSizeBytes: written.sizeBytes,
          repositoryManifest: { status: 'absent' },
          leftOut: [],
          fetchedByRunId: 'ssr_1',
          fetchedAt: now,
        });
        if (mark !== 'collected') store.moveLane({ sourceId, ref: mark, path: '.', snapshotId: id, syncedAt: now });
      });
      return written.path;
    });
    const orphan = writeArchive({ dir: at('archives'), entries: [] });
    expect(await said()).toEqual([['archives', 'note', orphan.path]]);
    fs.rmSync(orphan.path);
    const [, altered = '', missing = '', collected = ''] = made;
    fs.appendFileSync(altered, 'x');
    fs.rmSync(missing);
    fs.rmSync(collected);
    expect(await said()).toEqual([
      ['archives', 'problem', 'snap_missing'],
      ['archives', 'problem', altered],
    ]);
  });

  test('of provider packages are those they were filed with', async () => {
    const staged = put('staged/terraform-provider-time', 'program');
    const hex = Buffer.from(hashPackage(path.dirname(staged)).slice(3), 'base64').toString('hex');
    const place = at('providers/registry.opentofu.org/hashicorp/time/0.1.0/linux_amd64');
    fs.mkdirSync(place, { recursive: true, mode: 0o700 });
    const folder = path.join(place, hex);
    fs.renameSync(path.dirname(staged), folder);
    fs.mkdirSync(at('providers/views/abc'), { recursive: true });
    fs.symlinkSync(folder, at('providers/views/abc/link'));
    expect(await said()).toEqual([]);
    fs.writeFileSync(path.join(folder, 'terraform-provider-time'), 'PROGRAM');
    expect(await said()).toEqual([['providers', 'problem', folder]]);
    fs.rmSync(folder, { recursive: true });
    expect(await said()).toEqual([['providers', 'note', at('providers/views/abc')]]);
  });
});
