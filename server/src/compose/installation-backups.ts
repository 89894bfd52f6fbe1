import { realpathSync, statSync } from 'node:fs';
import {
  bucketStore,
  folderStore,
  insideDataFolder,
  isInFolder,
  type TargetStore,
} from '../domains/backup-schedules/index.ts';
import {
  createInstallationBackupScheduler,
  createInstallationBackups,
  type InstallationBackupPorts,
} from '../domains/installation-backups/index.ts';
import { createObjectStore } from '../drivers/object-store/index.ts';
import type { Settings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';
import type { AppContext } from './app-context.ts';
import { readStoreKeys } from './object-stores.ts';

type Parts = Omit<Parameters<typeof createInstallationBackups>[0], 'dataDir' | 'keepDays'> &
  Pick<InstallationBackupPorts, 'unattendedGate'>;

/** Builds the backups of the whole installation: on request, and every day. */
export function buildInstallationBackups({ settings }: AppContext, parts: Parts) {
  const { dataDir, keepDays } = settings;
  const installationBackups = createInstallationBackups({ ...parts, dataDir, keepDays });
  const installationBackupScheduler = createInstallationBackupScheduler({
    ...parts,
    dataDir,
    settings: settings.installationBackup,
    openTarget: () => openTarget(settings),
    backups: installationBackups,
  });
  return { installationBackups, installationBackupScheduler };
}

/** Keys are read each time, so that the operator replaces them without a restart. Throws `StartError` without them. */
function openTarget({ dataDir, installationBackup, caFile, httpsProxy }: Settings): TargetStore {
  if (!installationBackup) throw new StartError('GROUNDCTL_BACKUP_TARGET is not set.');
  const { target } = installationBackup;
  if (target.kind === 'folder') {
    // Without this a disk that is not mounted would be replaced by a new folder.
    if (!statSync(target.path, { throwIfNoEntry: false })?.isDirectory())
      throw new StartError('The folder of GROUNDCTL_BACKUP_TARGET does not exist. Mount its disk, or create it.');
    if (isInFolder(dataDir, realpathSync(target.path))) throw new StartError(insideDataFolder);
    return folderStore(target.path);
  }
  const { endpoint, region, bucket, prefix, keyFile } = target;
  const keys = readStoreKeys(keyFile, 'GROUNDCTL_BACKUP_KEY_FILE');
  return bucketStore(createObjectStore({ endpoint, region, bucket, keys, caFile, httpsProxy }), { bucket, prefix });
}
