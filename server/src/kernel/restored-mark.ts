import path from 'node:path';
import Database from 'better-sqlite3';
import { isoTime } from './clock.ts';
import { busyTimeoutMs } from './wal.ts';

/** Record that a ledger was restored: its last event and that event's time. The first start acts on it. */
export type RestoredMark = { restoredAt: string; backupCreatedAt: string; ledgerSequence: number };

/**
 * Marks the ledger of a stopped data folder as restored, when it was not restored from a backup file. Throws SQLite's
 * error for a file that is not a ledger.
 */
export function markRestored(dataDir: string, now: number): RestoredMark {
  const ledger = new Database(path.join(dataDir, 'ledger.db'), { fileMustExist: true });
  try {
    ledger.pragma('synchronous = FULL');
    ledger.pragma(`busy_timeout = ${busyTimeoutMs}`);
    return ledger
      .transaction(() => {
        const last = ledger.prepare('SELECT seq, created_at AS at FROM outbox ORDER BY seq DESC LIMIT 1').get() as
          | { seq: number; at: number }
          | undefined;
        const mark = {
          restoredAt: isoTime(now),
          backupCreatedAt: isoTime(last?.at ?? now),
          ledgerSequence: last?.seq ?? 0,
        };
        const write = ledger.prepare("INSERT OR REPLACE INTO installation (name, value) VALUES ('restored', ?)");
        write.run(JSON.stringify(mark));
        return mark;
      })
      .immediate();
  } finally {
    ledger.close();
  }
}
