import path from 'node:path';
import { installationBackupsApi } from '#shared/installation-backups/api';
import { fullPath } from '#shared/kernel/endpoint';
import { exportStoredKeys } from '../compose/key-host.ts';
import { removeBackupWork, streamInstallationBackup } from '../domains/installation-backups/index.ts';
import { type EncryptFor, type WrittenFile, writeWholeFile } from '../drivers/backup-archive/index.ts';
import { isDataDirLocked, lockDataDir } from '../kernel/db.ts';
import { hasLedger, noLedgerMessage } from '../kernel/ledger-file.ts';
import { guardDataFolder } from '../kernel/private-folder.ts';
import { readSettings, type Settings } from '../kernel/settings.ts';
import { sayBackupError } from './backup-errors.ts';
import { encryptForOf } from './backup-keys.ts';
import { exitCodes, failed, wrongUse } from './exit-codes.ts';
import { requireNewFile } from './new-file.ts';
import { findOperatorServer } from './operator-server.ts';
import type { ParsedCommand } from './options.ts';
import { requestBytes } from './request-bytes.ts';

/** Writes the whole installation into one encrypted file: beside a running server, or of a stopped data folder. */
export async function runBackup({ options, args }: ParsedCommand): Promise<number> {
  if (options.all !== true)
    throw wrongUse('Say --all to back up the whole installation, or name one: groundctl backup create.');
  const file = path.resolve(args[0] ?? '');
  const settings = readSettings(process.env, {
    ...(options['data-dir'] !== undefined && { dataDir: options['data-dir'] }),
  });
  if (!hasLedger(settings.dataDir)) throw failed('no_data_folder', noLedgerMessage);
  requireNewFile(file);
  const encryptFor = await encryptForOf(options);
  const request = { file, encryptFor, includeProviders: options['with-providers'] === true };
  const written = await sayBackupError(() =>
    isDataDirLocked(settings.dataDir) ? fromServer(settings, request) : fromFolder(settings, request),
  );
  const { sizeBytes, digest } = written;
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ file, sizeBytes, digest })}\n`
      : `The installation is backed up in ${file} (${sizeBytes} bytes, ${digest}).\nCheck it with: groundctl backup verify ${file}\n`,
  );
  return exitCodes.done;
}

type Request = { file: string; encryptFor: EncryptFor; includeProviders: boolean };

/** Backs up a stopped data folder, and keeps servers away from it. */
async function fromFolder(settings: Settings, { file, ...request }: Request): Promise<WrittenFile> {
  const { dataDir, keepDays } = settings;
  guardDataFolder(dataDir);
  const lock = lockDataDir(dataDir);
  if (lock === undefined) throw failed('data_folder_in_use', 'A server has just started on this folder. Try again.');
  try {
    removeBackupWork(dataDir);
    const exportKeys = () => exportStoredKeys(settings);
    const now = Date.now();
    return await writeWholeFile(file, () =>
      streamInstallationBackup({ ...request, dataDir, keepDays, now, exportKeys }),
    );
  } finally {
    lock.release();
  }
}

/** Requests the backup from the server that holds the data folder. */
async function fromServer(settings: Settings, { file, ...body }: Request): Promise<WrittenFile> {
  const server = findOperatorServer(settings);
  if (!server) throw failed('no_server', 'A server is starting or stopping on this folder. Try again.');
  const url = server.operatorUrl + fullPath(installationBackupsApi.createInstallationBackup);
  return writeWholeFile(file, async () => {
    const { chunks } = await requestBytes(url, { method: 'POST', token: server.token, body });
    return chunks;
  });
}
