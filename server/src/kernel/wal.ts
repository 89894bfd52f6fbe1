import type Database from 'better-sqlite3';

/** Milliseconds that a statement waits for the lock of another process. */
export const busyTimeoutMs = 5_000;

export type Wal = {
  /** Empties the log now, or after the first commit at which no other process reads older pages from it. */
  empty(): void;
  /** Runs after each commit: empties a log that could not be emptied before. */
  retry(): void;
};

/**
 * Empties the write-ahead log of the ledger, which holds replaced and erased pages until then. Never waits for a reader:
 * that would stop the event loop for the whole busy timeout.
 */
export function createWal(sqlite: Database.Database): Wal {
  let isDue = false;
  const empty = () => {
    isDue = true;
    if (sqlite.inTransaction) return;
    sqlite.pragma('busy_timeout = 0');
    try {
      const [result] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      isDue = result?.busy !== 0;
    } finally {
      sqlite.pragma(`busy_timeout = ${busyTimeoutMs}`);
    }
  };
  return { empty, retry: () => (isDue ? empty() : undefined) };
}
