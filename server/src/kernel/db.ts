import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { isDiskFault, makeFolder } from './disk.ts';
import { migrationsDir } from './entry.ts';
import { AppError, readOnlyMessage } from './errors.ts';
import { failpoint } from './failpoints.ts';
import { copyLedger } from './ledger-copy.ts';
import { busyTimeoutMs, createWal, type Wal } from './wal.ts';

/**
 * The ledger. One connection and one writer: whatever runs inside `write` belongs to that transaction, and a `write`
 * inside a `write` is a savepoint of it. better-sqlite3 is synchronous, so nothing is awaited inside.
 */
export type Db = {
  orm: BetterSQLite3Database;
  sqlite: Database.Database;
  /** Runs a transaction that takes the write lock at its start. Listeners hear of it after the outermost commit. */
  write<T>(work: () => T): T;
  /** Runs after the outermost transaction has committed; never when it rolls back. At once when none is open. */
  afterCommit(work: () => void): void;
  /** Calls back with the seconds that each outermost transaction took, its commit to the disk among them. */
  onTransaction(listen: (seconds: number) => void): void;
  /** Empties the write-ahead log without waiting: after a later commit when a transaction or another process still reads it. */
  emptyLog(): void;
  close(): void;
};

const pragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'trusted_schema = OFF',
  // Otherwise REPLACE deletes a row past the trigger that refuses DELETE.
  'recursive_triggers = ON',
  `busy_timeout = ${busyTimeoutMs}`,
];

/** Opens `<dataDir>/ledger.db` and brings its tables up to date; the file is copied before an existing one is changed. `onFault` hears of listeners that fail after a commit. */
export function openDb(dataDir: string, onFault: (error: unknown) => void): Db {
  makeFolder(dataDir);
  const file = path.join(dataDir, 'ledger.db');
  const existed = existsSync(file);
  const sqlite = new Database(file);
  for (const pragma of pragmas) sqlite.pragma(pragma);
  const orm = drizzle(sqlite);
  const wal = createWal(sqlite);
  try {
    if (existed && pendingMigrations(sqlite) > 0) copyLedger(sqlite, dataDir);
    migrate(orm, { migrationsFolder: migrationsDir() });
    // A server that was killed may have left one that it still had to empty.
    if (existed) wal.empty();
  } catch (error) {
    sqlite.close();
    throw error;
  }
  return { orm, sqlite, ...transactions(sqlite, { onFault, wal }), emptyLog: wal.empty, close: () => sqlite.close() };
}

/** A ledger to look at. */
export type LedgerView = Pick<Db, 'orm' | 'sqlite' | 'close'>;

/**
 * Opens the ledger of a data folder for reading alone, beside a running server or without one; undefined when there is
 * none. Tables are as they are: nothing is brought up to date. Throws SQLite's error for a file that is no ledger.
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
  return { orm: drizzle(sqlite), sqlite, close };
}

/** Who only reads leaves SQLite's two side files behind; who may write takes them away as the last to go. */
function leaveNoTrace(file: string): void {
  try {
    const last = new Database(file, { fileMustExist: true });
    last.pragma('user_version');
    last.close();
  } catch {
    // They are empty, and the next start takes them away.
  }
}

function transactions(
  sqlite: Database.Database,
  { onFault, wal }: { onFault: (error: unknown) => void; wal: Wal },
): Pick<Db, 'write' | 'afterCommit' | 'onTransaction'> {
  let listen: ((seconds: number) => void) | undefined;
  let waiting: (() => void)[] = [];
  /** The commit stands, so a listener that fails must not make it look undone. */
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
 * A full or failing disk is said plainly instead of as an internal error: the ledger takes no writes, and nothing was
 * half-written. It may be tried again at once, after a failed fsync too: the system may then take pages for written that
 * are not, but SQLite rests nothing on syncing the same ones once more. A transaction whose sync failed is taken back, and
 * the next one writes its frames in that place anew; a checkpoint whose sync failed copies all of its pages again.
 */
function asLedgerFault(error: unknown): unknown {
  return isSqliteFault(error) ? new AppError('ledger_read_only', readOnlyMessage) : error;
}

const isSqliteFault = (error: unknown): boolean =>
  isDiskFault(error) && String((error as { code?: unknown }).code).startsWith('SQLITE_');

/** Whether the ledger could not be written or read because of its disk: to be tried again, not to be taken for an answer. */
export const isLedgerFault = (error: unknown): boolean =>
  isSqliteFault(error) || (error instanceof AppError && error.code === 'ledger_read_only');

/** How many migrations a ledger still lacks; negative when a newer version has written it. */
export function pendingMigrations(sqlite: Database.Database): number {
  const journal = JSON.parse(readFileSync(path.join(migrationsDir(), 'meta/_journal.json'), 'utf8')) as {
    entries: unknown[];
  };
  const known = sqlite.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = '__drizzle_migrations'").get() as {
    n: number;
  };
  if (known.n === 0) return journal.entries.length;
  const done = sqlite.prepare('SELECT count(*) AS n FROM __drizzle_migrations').get() as { n: number };
  return journal.entries.length - done.n;
}

/** Holds the data folder for the life of the process: the kernel frees the lock even after a kill. Returns undefined when another holds it. */
export function lockDataDir(dataDir: string): { release(): void } | undefined {
  makeFolder(dataDir);
  // Whoever only looks whether somebody serves the folder holds the file for a moment.
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

/** Whether a server holds this data folder now. */
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
