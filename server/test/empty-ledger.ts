import { chmodSync, constants, copyFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { type Db, openDb } from '../src/kernel/db.ts';
import { makeFolder } from '../src/kernel/disk.ts';

const raise = (error: unknown): never => {
  throw error;
};

/** Creates a ledger with all tables and no rows, which the tests of a run copy. Returns its path. */
export function writeEmptyLedger(dir: string): string {
  openDb(dir, raise).close();
  const file = path.join(dir, 'ledger.db');
  // As under the umask of a server; a copy has the same mode.
  chmodSync(file, 0o600);
  return file;
}

/**
 * Copies the empty ledger of this run into a data folder that has no ledger, because the migrations take longer than
 * most tests. Outside a run of tests it does nothing, and the migrations run when the ledger is opened.
 */
export function copyEmptyLedger(dataDir: string): void {
  const template = process.env['GROUNDCTL_TEST_LEDGER'];
  const file = path.join(dataDir, 'ledger.db');
  if (template === undefined || existsSync(file)) return;
  makeFolder(dataDir);
  copyFileSync(template, file, constants.COPYFILE_EXCL);
}

/** Opens the ledger of a data folder. Rows of a test need not survive a power cut, so none of them waits for the disk. */
export function openTestLedger(dataDir: string, onFault: (error: unknown) => void = raise): Db {
  copyEmptyLedger(dataDir);
  const db = openDb(dataDir, onFault);
  db.sqlite.pragma('synchronous = OFF');
  return db;
}
