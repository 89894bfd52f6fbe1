import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { isDiskFault, makeFolder } from './disk.ts';
import { migrationsDir } from './entry.ts';
import { AppError, readOnlyMessage } from './errors.ts';
import { failpoint } from './failpoints.ts';
import { copyLedger } from './ledger-copy.ts';
import { createOrm } from './orm.ts';
import { StartError } from './start-error.ts';
import { busyTimeoutMs, createWal, type Wal } from './wal.ts';

/**
 * The ledger: one connection and one writer. Everything inside `write` belongs to that transaction, and a nested
 * `write` is a savepoint. better-sqlite3 is synchronous, so nothing is awaited inside.
 */
export type Db = {
  orm: BetterSQLite3Database;
  sqlite: Database.Database;
  /** Runs a transaction that takes the write lock at its start. Listeners are notified after the outermost commit. */
  write<T>(work: () => T): T;
  /** Runs after the outermost transaction has committed, never after a rollback; at once when none is open. */
  afterCommit(work: () => void): void;
  /** Calls back with the duration in seconds of each outermost transaction, including its commit to the disk. */
  onTransaction(listen: (seconds: number) => void): void;
  /** Empties the write-ahead log without waiting: after a later commit while a transaction or another process still reads it. */
  emptyLog(): void;
  close(): void;
};

const pragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  // On macOS a sync leaves the bytes in the cache of the drive otherwise; no effect elsewhere.
  'fullfsync = ON',
  'foreign_keys = ON',
  'trusted_schema = OFF',
  // Without it, REPLACE deletes a row without firing the trigger that refuses DELETE.
  'recursive_triggers = ON',
  `busy_timeout = ${busyTimeoutMs}`,
];

/**
 * Opens `<dataDir>/ledger.db` and migrates its tables. An existing file is copied before it is changed. `onFault`
 * receives errors of listeners after a commit. Throws `StartError` for the ledger of a newer version.
 */
export function openDb(dataDir: string, onFault: (error: unknown) => void): Db {
  makeFolder(dataDir);
  const file = path.join(dataDir, 'ledger.db');
  const existed = existsSync(file);
  requireKnownLedger(dataDir);
  const sqlite = new Database(file);
  for (const pragma of pragmas) sqlite.pragma(pragma);
  const orm = createOrm(sqlite);
  const wal = createWal(sqlite);
  try {
    if (existed && pendingMigrations(sqlite) > 0) copyLedger(sqlite, dataDir);
    migrate(orm, { migrationsFolder: migrationsDir() });
    // A killed server may have left a log that still has to be emptied.
    if (existed) wal.empty();
  } catch (error) {
    sqlite.close();
    throw error;
  }
  return { orm, sqlite, ...transactions(sqlite, { onFault, wal }), emptyLog: wal.empty, close: () => sqlite.close() };
}

/** A read-only ledger. */
export type LedgerView = Pick<Db, 'orm' | 'sqlite' | 'close'>;

/**
 * Opens the ledger of a data folder for reading only, beside a running server or without one; undefined when there is
 * none. Does not migrate. Throws SQLite's error for a file that is not a ledger.
 */
export function viewLedger(dataDir: string): LedgerView | undefined {
  const file = path.join(dataDir, 'ledger.db');
  if (!existsSync(file)) return undefined;
  const hadLog = existsSync(`${file}-wal`);
  const sqlite = new Database(file, { readonly: true, fileMustExist: true });
  sqlite.pragma('trusted_schema = OFF');
  sqlite.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const close = () => {
    sqlite.close();
    if (!hadLog) leaveNoTrace(file);
  };
  return { orm: createOrm(sqlite), sqlite, close };
}

/** Opens the ledger once for writing, so that SQLite removes its two side files, which a read-only connection leaves behind. */
function leaveNoTrace(file: string): void {
  try {
    const last = new Database(file, { fileMustExist: true });
    last.pragma('user_version');
    last.close();
  } catch {
    // The files are empty, and the next start removes them.
  }
}

function transactions(
  sqlite: Database.Database,
  { onFault, wal }: { onFault: (error: unknown) => void; wal: Wal },
): Pick<Db, 'write' | 'afterCommit' | 'onTransaction'> {
  let listen: ((seconds: number) => void) | undefined;
  let waiting: (() => void)[] = [];
  /** Runs a listener. An error must not make the committed transaction look undone. */
  const runListener = (work: () => void) => {
    try {
      work();
    } catch (error) {
      onFault(error);
    }
  };
  const release = () => {
    failpoint('ledger.committed');
    const ready = waiting;
    waiting = [];
    for (const work of ready) runListener(work);
    runListener(wal.retry);
    failpoint('ledger.heard');
  };
  const toCommit = <T>(work: () => T): T => {
    const result = work();
    failpoint('ledger.commit');
    return result;
  };
  const write = <T>(work: () => T): T => {
    const outermost = !sqlite.inTransaction;
    const mark = waiting.length;
    const began = performance.now();
    try {
      if (outermost) failpoint('ledger.begin');
      const result = sqlite.transaction(outermost ? () => toCommit(work) : work).immediate();
      if (outermost) {
        listen?.((performance.now() - began) / 1_000);
        release();
      }
      return result;
    } catch (error) {
      waiting.length = Math.min(mark, waiting.length);
      throw asLedgerFault(error);
    }
  };
  return {
    write,
    afterCommit: (work) => (sqlite.inTransaction ? void waiting.push(work) : work()),
    onTransaction: (work) => {
      listen = work;
    },
  };
}

/**
 * Turns an error of a full or failing disk into a clear refusal instead of an internal error. Nothing was half-written.
 * The write may be retried at once, also after a failed fsync: the kernel may then consider unwritten pages as written,
 * but SQLite never relies on syncing the same pages again. A transaction whose sync failed is rolled back, and the next
 * one overwrites its frames; a checkpoint whose sync failed copies all of its pages again.
 */
function asLedgerFault(error: unknown): unknown {
  return isSqliteFault(error) ? new AppError('ledger_read_only', readOnlyMessage) : error;
}

const isSqliteFault = (error: unknown): boolean =>
  isDiskFault(error) && String((error as { code?: unknown }).code).startsWith('SQLITE_');

/** Reports whether the ledger could not be read or written because of its disk. The caller should retry. */
export const isLedgerFault = (error: unknown): boolean =>
  isSqliteFault(error) || (error instanceof AppError && error.code === 'ledger_read_only');

/** Returns the number of migrations that this version knows. */
export function knownMigrations(): number {
  const file = path.join(migrationsDir(), 'meta/_journal.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { entries: unknown[] }).entries.length;
}

/** Returns the number of migrations that a ledger lacks; negative when a newer version has written it. */
export function pendingMigrations(sqlite: Database.Database): number {
  const known = sqlite.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = '__drizzle_migrations'").get() as {
    n: number;
  };
  if (known.n === 0) return knownMigrations();
  const done = sqlite.prepare('SELECT count(*) AS n FROM __drizzle_migrations').get() as { n: number };
  return knownMigrations() - done.n;
}

/** Throws `StartError` when a newer version has changed the tables of a ledger, which this one would write wrong rows to. */
export function requireKnownLedger(dataDir: string): void {
  const ledger = viewLedger(dataDir);
  if (!ledger) return;
  try {
    if (pendingMigrations(ledger.sqlite) >= 0) return;
  } finally {
    ledger.close();
  }
  throw new StartError(
    'A newer version of Ground Control has changed this ledger, so this version does not open it. Nothing was changed. Start the newer version again.',
  );
}

/**
 * Locks the data folder for the life of the process; the kernel releases the lock even after a kill. Returns undefined
 * when another process holds it.
 */
export function lockDataDir(dataDir: string): { release(): void } | undefined {
  makeFolder(dataDir);
  // A process that only checks whether the folder is in use holds the file for a moment.
  const lock = new Database(path.join(dataDir, 'lock.db'), { timeout: 250 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch {
    lock.close();
    return undefined;
  }
}

/** Reports whether a server holds this data folder. */
export function isDataDirLocked(dataDir: string): boolean {
  const file = path.join(dataDir, 'lock.db');
  if (!existsSync(file)) return false;
  let lock: Database.Database | undefined;
  try {
    lock = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 });
    lock.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch {
    return true;
  } finally {
    lock?.close();
  }
}
