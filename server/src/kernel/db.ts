import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { migrationsDir } from './entry.ts';
import { AppError } from './errors.ts';

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
  close(): void;
};

const pragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'trusted_schema = OFF',
  // Otherwise REPLACE deletes a row past the trigger that refuses DELETE.
  'recursive_triggers = ON',
  'busy_timeout = 5000',
];

/** Opens `<dataDir>/ledger.db` and brings its tables up to date; the file is copied before an existing one is changed. `onFault` hears of listeners that fail after a commit. */
export function openDb(dataDir: string, onFault: (error: unknown) => void): Db {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(dataDir, 'ledger.db');
  const existed = existsSync(file);
  const sqlite = new Database(file);
  for (const pragma of pragmas) sqlite.pragma(pragma);
  const orm = drizzle(sqlite);
  if (existed && pendingMigrations(sqlite) > 0) copyLedger(sqlite, dataDir);
  migrate(orm, { migrationsFolder: migrationsDir() });
  return { orm, sqlite, ...transactions(sqlite, onFault), close: () => sqlite.close() };
}

function transactions(sqlite: Database.Database, onFault: (error: unknown) => void): Pick<Db, 'write' | 'afterCommit'> {
  let waiting: (() => void)[] = [];
  /** The commit stands, so a listener that fails must not make it look undone. */
  const hear = (work: () => void) => {
    try {
      work();
    } catch (error) {
      onFault(error);
    }
  };
  const release = () => {
    const ready = waiting;
    waiting = [];
    for (const work of ready) hear(work);
  };
  const write = <T>(work: () => T): T => {
    const outermost = !sqlite.inTransaction;
    const mark = waiting.length;
    try {
      const result = sqlite.transaction(work).immediate();
      if (outermost) release();
      return result;
    } catch (error) {
      waiting.length = Math.min(mark, waiting.length);
      throw asLedgerFault(error);
    }
  };
  return { write, afterCommit: (work) => (sqlite.inTransaction ? void waiting.push(work) : work()) };
}

/** A full or failing disk is said plainly instead of as an internal error: the ledger takes no writes, and nothing was half-written. */
function asLedgerFault(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string' || !/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(code)) return error;
  return new AppError(
    'ledger_read_only',
    'The disk does not take writes, so nothing was changed. Free some space and try again.',
  );
}

function pendingMigrations(sqlite: Database.Database): number {
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

const copiesKept = 3;

function copyLedger(sqlite: Database.Database, dataDir: string): void {
  sqlite.pragma('wal_checkpoint(TRUNCATE)');
  const folder = path.join(dataDir, 'ledger-copies');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `ledger-${new Date().toISOString().replaceAll(':', '-')}.db`;
  copyFileSync(path.join(dataDir, 'ledger.db'), path.join(folder, name));
  for (const old of readdirSync(folder).sort().slice(0, -copiesKept)) rmSync(path.join(folder, old));
}

/** Holds the data folder for the life of the process: the kernel frees the lock even after a kill. Returns undefined when another holds it. */
export function lockDataDir(dataDir: string): { release(): void } | undefined {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = new Database(path.join(dataDir, 'lock.db'), { timeout: 0 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch {
    lock.close();
    return undefined;
  }
}
