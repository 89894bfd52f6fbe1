import { randomUUID } from 'node:crypto';
import { on } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ExportedKey } from '#server/domains/keys/index';
import { BackupError, type BackupErrorCode, type EncryptFor } from '#server/drivers/backup-archive/index';
import { makeFolder } from '#server/kernel/disk';
import { entryFile } from '#server/kernel/entry';
import { failpoint } from '#server/kernel/failpoints';
import { requireSpaceForCopy } from '#server/kernel/ledger-copy';
import { removeTree } from '#server/kernel/remove-tree';
import type { BackupJob, ParentMessage, WorkerMessage } from './backup-worker.ts';

/** Folder of the data folder with the copies of a backup in progress. */
const workFolder = 'backup-work';

export type StreamOptions = {
  dataDir: string;
  keepDays: number;
  includeProviders: boolean;
  encryptFor: EncryptFor;
  now: number;
  /** Returns the stored master keys. Called before the ledger is copied and after it. */
  exportKeys: () => Promise<ExportedKey[]>;
  /** Ends the backup with an error. */
  signal?: AbortSignal | undefined;
};

/** Removes what a killed backup left. The caller holds the data folder, and no backup is in progress. */
export const removeBackupWork = (dataDir: string): void => removeTree(path.join(dataDir, workFolder));

/**
 * Yields the encrypted backup of an installation, beside a running server or on a locked data folder. A worker copies
 * the ledger as it is at one moment, and encrypts. Throws `BackupError`, `KeySourceError`, or the file system's error.
 * An unused rest ends the worker.
 */
export async function* streamInstallationBackup(options: StreamOptions): AsyncGenerator<Uint8Array, void, void> {
  const { exportKeys, signal, ...job } = options;
  const workDir = path.join(options.dataDir, workFolder, randomUUID());
  requireSpaceForCopy(options.dataDir);
  const before = await exportKeys();
  makeFolder(workDir);
  const worker = new Worker(entryFile('backup-worker'), { workerData: { ...job, workDir } satisfies BackupJob });
  const answer = (message: ParentMessage) => worker.postMessage(message);
  try {
    const messages = on(worker, 'message', { close: ['exit'], ...(signal && { signal }) });
    for await (const [message] of messages as AsyncIterable<[WorkerMessage]>) {
      if (message.kind === 'done') return;
      if (message.kind === 'failed') throw errorOf(message);
      if (message.kind === 'copied') {
        failpoint('backup.copied');
        // A key that was changed during the copy is in one of the two.
        answer({ kind: 'keys', keys: unique([...before, ...(await exportKeys())]) });
      } else {
        yield message.chunk;
        answer({ kind: 'taken' });
      }
    }
    throw new Error('The backup was stopped. Try again.');
  } finally {
    await worker.terminate();
    removeBackupWork(options.dataDir);
  }
}

const unique = (keys: readonly ExportedKey[]): ExportedKey[] => [...new Map(keys.map((key) => [key.id, key])).values()];

function errorOf({ message, code, isBackupError }: Extract<WorkerMessage, { kind: 'failed' }>): Error {
  if (isBackupError) return new BackupError(code as BackupErrorCode, message);
  return Object.assign(new Error(message), code !== undefined && { code });
}
