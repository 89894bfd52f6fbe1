import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { ExportedKey } from '#server/domains/keys/index';
import {
  BackupError,
  type BackupManifest,
  type DecryptWith,
  extractBackupArchive,
} from '#server/drivers/backup-archive/index';
import { makeFolder, syncFile, syncFolder } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { withFileLock } from '#server/kernel/file-lock';
import { removeTree } from '#server/kernel/remove-tree';
import { StartError } from '#server/kernel/start-error';
import { aboutFolder, keysPath, type OmittedFile, omittedPath, parseKeys, parseOmitted } from './about-members.ts';
import { ledgerFile, memberRoots } from './members.ts';
import { removingOnSignal } from './remove-on-signal.ts';
import { openLedgerCopy } from './store.ts';

/** An unpacked backup whose every digest was checked. */
export type StagedBackup = {
  dir: string;
  manifest: BackupManifest;
  keys: ExportedKey[];
  omitted: OmittedFile[];
};

export type RestoreOptions = {
  file: string;
  decryptWith: DecryptWith;
  /** The new data folder: missing or empty. */
  dataDir: string;
  now: number;
  /** Stores the keys of an installation on this machine, and returns the kind of their storage. */
  storeKeys: (keys: readonly ExportedKey[], installationId: string) => Promise<string>;
};

const lockTimes = { waitMs: 2_000, staleMs: 24 * 3_600_000 };

/**
 * Restores a backup of an installation into an empty data folder. Everything is unpacked and checked beside it and then
 * renamed, so a killed call leaves nothing in the folder and can be repeated. Throws `BackupError`, `StartError`, or
 * `KeySourceError`.
 */
export async function restoreInstallation(options: RestoreOptions): Promise<StagedBackup> {
  const dataDir = path.resolve(options.dataDir);
  const stagingDir = `${dataDir}.restoring`;
  requireEmpty(dataDir);
  const onHeld = () => new StartError('Another restore into this data folder is in progress. Wait for its end.');
  const onUnwritable = () =>
    new StartError(
      'The folder that contains the data folder cannot be written. Restore into another path, or change its owner.',
    );
  return withFileLock(stagingDir, { ...lockTimes, onHeld, onUnwritable }, async () => {
    removeTree(stagingDir);
    try {
      return await removingOnSignal(stagingDir, async () => {
        const staged = await stageBackup({ ...options, stagingDir });
        await completeStaging(staged, options);
        failpoint('backup.staged');
        publish(stagingDir, dataDir);
        return { ...staged, dir: dataDir };
      });
    } finally {
      removeTree(stagingDir);
    }
  });
}

function requireEmpty(dataDir: string): void {
  if (!existsSync(dataDir) || isEmptyFolder(dataDir)) return;
  throw new StartError('The data folder is not empty. Restore into a missing or an empty folder.');
}

function isEmptyFolder(dir: string): boolean {
  try {
    return readdirSync(dir).length === 0;
  } catch {
    return false;
  }
}

/** Unpacks a backup into a new folder. Throws `BackupError` and leaves nothing when it is not one of an installation. */
export async function stageBackup({
  file,
  decryptWith,
  stagingDir,
}: Pick<RestoreOptions, 'file' | 'decryptWith'> & { stagingDir: string }): Promise<StagedBackup> {
  let printedKeys = '';
  const onKeys = (bytes: Buffer) => {
    printedKeys = bytes.toString('utf8');
  };
  const manifest = await extractBackupArchive({
    file,
    decryptWith,
    stagingDir,
    onManifest: requireInstallation,
    // A killed call leaves its folder, which must not hold a key in clear.
    unwritten: new Map([[keysPath, onKeys]]),
  }).catch((error) => {
    throw explainRefusal(error, file);
  });
  try {
    const printedOmitted = readFileSync(path.join(stagingDir, omittedPath), 'utf8');
    const about = { keys: parseKeys(printedKeys), omitted: parseOmitted(printedOmitted) };
    removeTree(path.join(stagingDir, aboutFolder));
    requireLedger(path.join(stagingDir, ledgerFile), manifest);
    return { dir: stagingDir, manifest, ...about };
  } catch (error) {
    removeTree(stagingDir);
    throw error instanceof BackupError ? error : unfit(error);
  }
}

const unfit = (cause?: unknown) =>
  new BackupError('backup_damaged', 'The backup does not hold a usable installation, so nothing of it is used.', {
    cause,
  });

const ofWorkspace = (fact: string, cause?: unknown) =>
  new BackupError(
    'backup_of_workspace',
    `${fact} It is checked and restored in the installation that made it, with: groundctl backup restore`,
    { cause },
  );

/** Only its installation has the key of such a backup, which a download has by its id. */
const workspaceFile = /^bkp_[0-9A-Z]{26}\.age$/;

/** Explains the refusal of a key for a file that has the name of a backup of a Workspace. */
function explainRefusal(error: unknown, file: string): unknown {
  const isRefused = error instanceof BackupError && error.code === 'backup_key_refused';
  if (!isRefused || !workspaceFile.test(path.basename(file))) return error;
  return ofWorkspace(
    'The key does not open this file, whose name is that of the backup of a Workspace or Capsule.',
    error,
  );
}

/** Requires the members of an installation: its ledger and keys, and nothing that belongs to one machine only. */
function requireInstallation({ kind, members }: BackupManifest): void {
  if (kind !== 'installation')
    throw ofWorkspace('This is the backup of a Workspace or Capsule, not of an installation.');
  const paths = new Set(members.map((member) => member.path));
  const isKnown = (name: string) =>
    name === keysPath || name === omittedPath || memberRoots.has(name.split('/', 1)[0] ?? '');
  if (![ledgerFile, keysPath, omittedPath].every((name) => paths.has(name)) || ![...paths].every(isKnown))
    throw unfit();
}

function requireLedger(file: string, { installationId, ledgerSequence }: BackupManifest): void {
  const ledger = openLedgerCopy(file);
  try {
    if (ledger.pendingMigrations() < 0)
      throw new BackupError(
        'backup_version_unknown',
        'A newer version of Ground Control wrote this backup. Update Ground Control, then try again.',
      );
    const isItsOwn = ledger.installationId() === installationId && ledger.sequence() === ledgerSequence;
    if (!isItsOwn || !ledger.isSound()) throw unfit();
  } finally {
    ledger.close();
  }
}

/** Stores the keys, and records in the staged ledger that it was restored. */
async function completeStaging({ dir, manifest, keys }: StagedBackup, { storeKeys, now }: RestoreOptions) {
  const source = await storeKeys(keys, manifest.installationId);
  failpoint('backup.keyed');
  const file = path.join(dir, ledgerFile);
  const ledger = openLedgerCopy(file);
  try {
    const { createdAt: backupCreatedAt, ledgerSequence } = manifest;
    const restored = { restoredAt: new Date(now).toISOString(), backupCreatedAt, ledgerSequence };
    ledger.markRestored(restored, { ids: keys.map(({ id }) => id), source });
  } finally {
    ledger.close();
  }
  syncFile(file);
  syncFolder(dir);
}

/** Gives the staged folder its name. An empty folder of that name is replaced. */
function publish(stagingDir: string, dataDir: string): void {
  makeFolder(path.dirname(dataDir));
  if (existsSync(dataDir)) rmdirSync(dataDir);
  renameSync(stagingDir, dataDir);
  failpoint('backup.restored');
  syncFolder(path.dirname(dataDir));
}
