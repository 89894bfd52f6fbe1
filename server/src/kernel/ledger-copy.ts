import { chmodSync, closeSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { freeBytes, makeFolder, syncFile, syncFolder } from './disk.ts';
import { StartError } from './start-error.ts';

const maxCopies = 3;
const unfinished = '.tmp';

/**
 * Copies the ledger with all committed rows into `ledger-copies`, whatever other processes read it. The copy gets its
 * final name when it is verified and durable. Throws `StartError` when that fails; the ledger is then unchanged.
 */
export function copyLedger(sqlite: Database.Database, dataDir: string): void {
  const folder = path.join(dataDir, 'ledger-copies');
  const copy = path.join(folder, `ledger-${new Date().toISOString().replaceAll(':', '-')}.db`);
  try {
    makeFolder(folder);
    removeUnfinished(folder);
    // A commit between copy and comparison would appear as a missing row.
    withoutWriters(sqlite.name, () => {
      sqlite.prepare('VACUUM INTO ?').run(copy + unfinished);
      verifyLedgerCopy(sqlite, copy + unfinished);
    });
    chmodSync(copy + unfinished, 0o600);
    syncFile(copy + unfinished);
    renameSync(copy + unfinished, copy);
    syncFolder(folder);
  } catch (error) {
    throw new StartError(
      `The ledger has to be copied before its tables are updated, and that failed: ${reasonOf(error)} Nothing was changed. Make sure that the data folder can be written and has free space for a second ledger, then start again.`,
    );
  }
  for (const old of readdirSync(folder).sort().slice(0, -maxCopies)) rmSync(path.join(folder, old));
}

/** Copies the ledger of a stopped server into `ledger-copies`. Throws `StartError`; the ledger is then unchanged. */
export function copyStoppedLedger(dataDir: string): void {
  const ledger = new Database(path.join(dataDir, 'ledger.db'), { fileMustExist: true });
  try {
    copyLedger(ledger, dataDir);
  } finally {
    ledger.close();
  }
}

/**
 * Copies all committed rows of a ledger into a new file of mode 0600, as they were at one moment. Other processes and
 * threads may write at the same time. Blocks its thread: a server calls it in a worker.
 */
export function copyLedgerTo(ledger: Pick<Database.Database, 'prepare'>, target: string): void {
  closeSync(openSync(target, 'wx', 0o600));
  ledger.prepare('VACUUM INTO ?').run(target);
}

/** Throws the error of a full disk unless the data folder has space for a copy of the ledger and for an archive of it. */
export function requireSpaceForCopy(dataDir: string, free = freeBytes(dataDir)): void {
  const sizes = ['ledger.db', 'ledger.db-wal'].map(
    (name) => statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  const needed = 2 * sizes.reduce((sum, size) => sum + size, 0);
  if (free >= needed) return;
  throw Object.assign(new Error(`A backup needs ${needed} free bytes in the data folder.`), { code: 'ENOSPC' });
}

/** Opens a copy for reading. Each reader that is open at the same time needs its own connection. */
export function openLedgerCopy(file: string): Database.Database {
  const copy = new Database(file, { readonly: true, fileMustExist: true });
  copy.pragma('trusted_schema = OFF');
  return copy;
}

/** Throws when the copy is damaged, or lacks a table or a row of the ledger. */
export function verifyLedgerCopy(sqlite: Database.Database, file: string): void {
  const copy = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const integrity = copy.pragma('integrity_check(1)', { simple: true });
    if (integrity !== 'ok') throw new Error(`The copy is damaged (${integrity}).`);
    const copied = countRows(copy);
    for (const [table, rows] of countRows(sqlite)) {
      if (copied.get(table) !== rows)
        throw new Error(`The copy has ${copied.get(table) ?? 0} of ${rows} rows of "${table}".`);
    }
  } finally {
    copy.close();
  }
}

/** Counts the rows of each table. An empty table counts 0, a missing one has no entry. */
function countRows(sqlite: Database.Database): Map<string, number> {
  const names = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  const count = (name: string) =>
    sqlite
      .prepare(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
      .pluck()
      .get() as number;
  return new Map(names.map((name) => [name, count(name)]));
}

function withoutWriters(file: string, work: () => void): void {
  const guard = new Database(file, { fileMustExist: true });
  try {
    guard.exec('BEGIN IMMEDIATE');
    work();
  } finally {
    guard.close();
  }
}

/** Removes partial copies that a crash or a full disk left. */
function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith(unfinished))) rmSync(path.join(folder, name));
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
