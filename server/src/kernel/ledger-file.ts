import { existsSync } from 'node:fs';
import path from 'node:path';

export const hasLedger = (dataDir: string): boolean => existsSync(path.join(dataDir, 'ledger.db'));

/** Fact for a report that adds a remedy of its own. */
export const noLedger = 'There is no ledger in this folder.';
export const nameDataFolder = 'Name a data folder, or a copy of one.';
export const noLedgerMessage = `${noLedger} ${nameDataFolder}`;
