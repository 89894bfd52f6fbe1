import path from 'node:path';
import { isoTime } from '#server/kernel/clock';
import type { RestoredFrom } from '#shared/installation/contract';
import { openLedgerCopy } from './store.ts';

/**
 * Marks the ledger of a stopped data folder as restored, when another program restored it. Throws SQLite's error for a
 * file that is not a ledger.
 */
export function markRestored(dataDir: string, now: number): RestoredFrom {
  const ledger = openLedgerCopy(path.join(dataDir, 'ledger.db'));
  try {
    const mark = {
      restoredAt: isoTime(now),
      backupCreatedAt: isoTime(ledger.lastEventAt() ?? now),
      ledgerSequence: ledger.sequence(),
    };
    // Its keys are where they were.
    ledger.markRestored(mark, { ids: [], source: '' });
    return mark;
  } finally {
    ledger.close();
  }
}
