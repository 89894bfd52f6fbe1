import { markRestored } from '../domains/installation-backups/index.ts';
import { lockDataDir } from '../kernel/db.ts';
import { hasLedger, noLedgerMessage } from '../kernel/ledger-file.ts';
import { readSettings, SettingError } from '../kernel/settings.ts';
import { exitCodes } from './exit-codes.ts';
import type { Flags } from './flags.ts';

/** Marks a data folder whose ledger was restored by other means, so that its first start is paused. */
export async function runRestoreMark(flags: Flags): Promise<number> {
  const { dataDir } = readSettings(process.env, flags);
  if (!hasLedger(dataDir)) throw new SettingError(noLedgerMessage);
  const lock = lockDataDir(dataDir);
  if (!lock) throw new SettingError('A server runs on this data folder. Stop it, then mark the folder.');
  try {
    const mark = markRestored(dataDir, Date.now());
    const text = `${dataDir} is marked as restored. Its last event is number ${mark.ledgerSequence} at ${mark.backupCreatedAt}.`;
    process.stdout.write(`${flags.json ? JSON.stringify(mark) : text}\n`);
    return exitCodes.done;
  } finally {
    lock.release();
  }
}
