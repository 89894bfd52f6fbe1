import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { viewKeys } from '../src/compose/key-host.ts';
import { sealedColumns } from '../src/compose/sealed-columns.ts';
import { createActivityService } from '../src/domains/activity/index.ts';
import { examine, type Machine, openExamination } from '../src/domains/doctor/index.ts';
import type { Vault } from '../src/drivers/vault/index.ts';
import { systemClock } from '../src/kernel/clock.ts';
import type { LedgerView } from '../src/kernel/db.ts';
import { createCursors } from '../src/kernel/page.ts';
import { heldClock, startTestServer, type TestServer, testKeyFile } from './harness.ts';

export const minute = 60_000;

/** The server whose folder is inspected, from `serveGroup` or `serveEach` on. */
export let server: TestServer;
/** Clock of the doctor; the real time at the start of each test. */
export const clock = heldClock();
/** A machine without a fault at the start of each test. */
export let machine: Machine;
export const soundMachine: Machine = {
  findTool: async () => ({ name: 'tofu', version: '1.12.6', path: '/nowhere/tofu' }),
  probe: async () => ({ sandbox: 'bwrap', network: 'isolated' }),
  freeBytes: () => 1e12,
  shortfall: () => undefined,
  platform: 'linux',
};
function startInOrder(): void {
  clock.advance(Date.now() - clock.now());
  machine = { ...soundMachine };
}

/** A server for each test, where a test damages the server for others. */
export function serveEach(): void {
  beforeEach(async () => {
    startInOrder();
    server = await startTestServer();
  });
  afterEach(() => server.close());
}

/** One server for all tests of a group, whose tests do not affect each other. */
export function serveGroup(options?: Parameters<typeof startTestServer>[0]): void {
  beforeEach(startInOrder);
  beforeAll(async () => {
    server = await startTestServer(options);
  });
  afterAll(() => server.close());
  afterEach(() => {
    for (const name of ['runs', 'capsules', 'archives', 'providers']) removeTree(at(name));
    sql("UPDATE runs SET status = 'cancelled' WHERE status IN ('queued', 'running', 'waiting_approval')");
    sql('UPDATE runs SET superseded_at = 1 WHERE superseded_at IS NULL');
    sql('DELETE FROM source_lanes');
  });
}

/** A path in the data folder. */
export const at = (...names: string[]) => path.join(server.dataDir, ...names);
/** Writes a file of the data folder and returns its path. */
export function put(name: string, content = 'x'): string {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true, mode: 0o700 });
  fs.writeFileSync(at(name), content);
  return at(name);
}
/** The vault of a ledger that is only read. */
export const openVault = (ledger: LedgerView): Promise<Vault> =>
  viewKeys(ledger, {
    dataDir: server.dataDir,
    keySource: undefined,
    keyFile: testKeyFile(server.dataDir),
    passphraseFile: undefined,
  });

/** The data folder as the doctor opens it. */
export const open = () => openExamination({ dataDir: server.dataDir, clock, machine, sealedColumns, openVault });

/** The doctor's reports, in the order of its checks. */
export async function runDoctorChecks() {
  const { examination, close } = await open();
  try {
    return await examine(examination);
  } finally {
    close();
  }
}
/** Findings of the doctor: check, level, subject. */
export async function said(): Promise<(string | undefined)[][]> {
  const reports = await runDoctorChecks();
  const findings = reports.flatMap(({ name, findings: entries }) => entries.map((one) => ({ name, ...one })));
  for (const { message, remedy } of findings) expect([message, remedy].join(' ')).toMatch(/^\S.*[.\w>] [A-Z].*/);
  return findings.map(({ name, level, subject }) => [name, level, subject]);
}
/** Ends the server and leaves the data folder. */
export async function withoutServer<T>(work: () => Promise<T>): Promise<T> {
  const copy = fs.mkdtempSync(`${server.dataDir}-copy-`);
  const { dataDir } = server;
  server.ledger(({ sqlite }) => sqlite.pragma('wal_checkpoint(TRUNCATE)'));
  // Files in the standby folder may disappear during the copy, which fails without a filter.
  fs.cpSync(dataDir, copy, { recursive: true, filter: (from) => path.basename(from) !== 'standby' });
  for (const name of ['runtime.json', 'ledger.db-wal', 'ledger.db-shm'])
    fs.rmSync(path.join(copy, name), { force: true });
  const running = server;
  server = { ...running, dataDir: copy };
  try {
    return await work();
  } finally {
    server = running;
    removeTree(copy);
  }
}
/** Changes the ledger past the services. */
export const sql = (statement: string, ...values: unknown[]) =>
  server.ledger(({ sqlite }) => sqlite.prepare(statement).run(...values));

/** Adds the activity record of every Run that was inserted without the services. */
export async function recordRunActivity(): Promise<void> {
  const key = (await openVault(server.ledger((db) => db))).installationKey('audit');
  server.ledger((db) => {
    const cursors = createCursors(() => 'x');
    const activity = createActivityService({ db, clock: systemClock, cursors, installationKey: () => key });
    const ids = db.sqlite.prepare('SELECT id FROM runs').pluck().all() as string[];
    for (const id of ids) activity.record({ action: 'run.plan_created', targetType: 'run', targetId: id, runId: id });
  });
}
