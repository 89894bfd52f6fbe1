import { createHash } from 'node:crypto';
import path from 'node:path';
import Database from 'better-sqlite3';
import { storeRestoredKeys } from '../src/compose/backup-host.ts';
import {
  type RestoreOptions,
  restoreInstallation,
  type StreamOptions,
  streamInstallationBackup,
} from '../src/domains/installation-backups/index.ts';
import {
  type BackupKeyPair,
  createBackupKeyPair,
  type WrittenFile,
  writeWholeFile,
} from '../src/drivers/backup-archive/index.ts';

/** Creates and restores backups in a folder, encrypted for one key pair. */
export async function createBackupMaker(folder: string) {
  const keys: BackupKeyPair = await createBackupKeyPair();
  return {
    keys,
    fileNamed: (name: string): string => path.join(folder, `${name}.age`),
    create(file: string, source: Pick<StreamOptions, 'dataDir' | 'exportKeys'>): Promise<WrittenFile> {
      const encryptFor = { recipients: [keys.recipient] };
      const now = Date.now();
      return writeWholeFile(file, () =>
        streamInstallationBackup({ keepDays: 30, includeProviders: false, encryptFor, now, ...source }),
      );
    },
    /** Restores into a new folder, with the key in a file beside it. */
    restore(file: string, dataDir: string, more: Partial<RestoreOptions> = {}) {
      const settings = { keyFile: `${dataDir}.key`, passphraseFile: undefined };
      return restoreInstallation({
        file,
        dataDir,
        decryptWith: { identities: [keys.identity] },
        now: Date.now(),
        storeKeys: storeRestoredKeys(settings, 'file'),
        ...more,
      });
    },
  };
}

/** Returns one digest of every row of a ledger, without the row that a restore adds. */
export function ledgerDigest(sqlite: Database.Database): string {
  const hash = createHash('sha256');
  const tables = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  for (const name of tables as string[]) {
    hash.update(name);
    for (const row of sqlite.prepare(`SELECT * FROM "${name}"`).raw().iterate() as Iterable<unknown[]>)
      if (name !== 'installation' || row[0] !== 'restored') hash.update(JSON.stringify(row));
  }
  return hash.digest('hex');
}

export function digestOfLedgerIn(dataDir: string): string {
  const sqlite = new Database(path.join(dataDir, 'ledger.db'), { readonly: true });
  try {
    return ledgerDigest(sqlite);
  } finally {
    sqlite.close();
  }
}
