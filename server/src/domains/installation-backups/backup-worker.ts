import path from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ExportedKey } from '#server/domains/keys/index';
import {
  BackupError,
  type BackupErrorCode,
  type BackupInput,
  type EncryptFor,
  streamBackupArchive,
} from '#server/drivers/backup-archive/index';
import { viewLedger } from '#server/kernel/db';
import { copyLedgerTo } from '#server/kernel/ledger-copy';
import { noLedgerMessage } from '#server/kernel/ledger-file';
import { ledgerFile, listMembers, type MembersRequest } from './members.ts';
import { type LedgerCopy, openLedgerCopy } from './store.ts';

/** Everything that a worker needs for one backup. */
export type BackupJob = MembersRequest & { encryptFor: EncryptFor };
/** Messages of the worker in their order: `copied`, chunks, `done`. A failure ends them. */
export type WorkerMessage =
  | { kind: 'copied' }
  | { kind: 'chunk'; chunk: Uint8Array }
  | { kind: 'done' }
  | { kind: 'failed'; message: string; code: string | undefined; isBackupError: boolean };
/** Answers to the worker: the keys after `copied`, and `taken` after each chunk. */
export type ParentMessage = { kind: 'keys'; keys: ExportedKey[] } | { kind: 'taken' };

/** Number of chunks that may wait for the parent. */
const maxWaitingChunks = 4;

type Link = {
  keys: Promise<ExportedKey[]>;
  send(message: WorkerMessage): void;
  /** Sends a chunk, and resolves when few enough wait. */
  sendChunk(chunk: Uint8Array): Promise<void>;
};

function openLink(port: MessagePort): Link {
  const keys = Promise.withResolvers<ExportedKey[]>();
  let waiting = 0;
  let wake = (): void => {};
  port.on('message', (message: ParentMessage) => {
    if (message.kind === 'keys') return keys.resolve(message.keys);
    waiting -= 1;
    wake();
  });
  const send = (message: WorkerMessage) => port.postMessage(message);
  return {
    keys: keys.promise,
    send,
    async sendChunk(chunk) {
      const isWhole = chunk.byteLength === chunk.buffer.byteLength && chunk.buffer instanceof ArrayBuffer;
      const message: WorkerMessage = { kind: 'chunk', chunk };
      port.postMessage(message, isWhole ? [chunk.buffer as ArrayBuffer] : []);
      waiting += 1;
      while (waiting >= maxWaitingChunks)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
}

async function work(job: BackupJob, link: Link): Promise<void> {
  const file = path.join(job.workDir, ledgerFile);
  copyLedger(job.dataDir, file);
  link.send({ kind: 'copied' });
  const keys = await link.keys;
  const chunks = await streamBackupArchive(await readCopy(file, job, keys));
  for await (const chunk of chunks) await link.sendChunk(chunk);
  link.send({ kind: 'done' });
}

function copyLedger(dataDir: string, target: string): void {
  const ledger = viewLedger(dataDir);
  if (ledger === undefined) throw new Error(noLedgerMessage);
  try {
    copyLedgerTo(ledger.sqlite, target);
  } finally {
    ledger.close();
  }
}

async function readCopy(file: string, job: BackupJob, keys: readonly ExportedKey[]) {
  const copy = openLedgerCopy(file);
  try {
    const members: BackupInput[] = await listMembers(job, { copy, keys: keysOf(copy, keys) });
    const manifest = {
      kind: 'installation' as const,
      installationId: copy.installationId() ?? '',
      ledgerSequence: copy.sequence(),
      createdAt: new Date(job.now).toISOString(),
    };
    return { manifest, members, encryptFor: job.encryptFor };
  } finally {
    copy.close();
  }
}

/** Returns the keys of the copied ledger. Throws when it was sealed with another one than those. */
function keysOf(copy: LedgerCopy, keys: readonly ExportedKey[]): ExportedKey[] {
  const rows = copy.listMasterKeys().filter(({ source }) => source !== 'passphrase');
  const active = rows.find(({ state }) => state === 'active');
  if (active !== undefined && !keys.some(({ id }) => id === active.id))
    throw new Error('The key was changed while the backup was made. Back up again.');
  return keys.filter(({ id }) => rows.some((row) => row.id === id));
}

function failureOf(error: unknown): WorkerMessage {
  const { code } = (error ?? {}) as { code?: BackupErrorCode | string };
  const message = error instanceof Error ? error.message : 'The backup failed.';
  return { kind: 'failed', message, code, isBackupError: error instanceof BackupError };
}

if (parentPort) {
  const link = openLink(parentPort);
  work(workerData as BackupJob, link)
    .catch((error: unknown) => link.send(failureOf(error)))
    .finally(() => parentPort?.unref());
}
