import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolders } from '#server/kernel/disk';
import { measureStream } from '#server/kernel/file-digest';
import type { Secret } from '#server/kernel/secret';
import { type FileReference, fileName, openPart, partBytes, partCount, sealPart, sizeOfPart } from './file-parts.ts';
import { NatsError } from './nats-error.ts';
import type { PartAddress, PartStore } from './part-store.ts';
import { pause, retryTransient } from './retry.ts';

type TransferInput = {
  store: PartStore;
  /** Of the Run, or of the archive. */
  key: Secret;
  file: string;
  /** Largest file that is sent or accepted. */
  maxBytes: number;
  signal: AbortSignal;
  tries?: number;
  /** Pause before the second try of a part; it doubles with each. */
  retryMs?: number;
};

/** Parts on their way at the same time. */
const parallelParts = 4;
/** Parts after the first one that has not ended. Those that have arrived wait for it in memory. */
const windowParts = 8;
const usualTries = 6;
/** Times that a part is looked up before it counts as missing. */
const lateTries = 4;
const usualRetryMs = 500;

/**
 * Sends a file, whose content must not change. Resolves when NATS has every part on its disk. Rejects with
 * `file_too_large`, `stream_full`, `timeout` or another `NatsError`, or the error of the file system.
 */
export async function sendFile(input: TransferInput): Promise<FileReference> {
  const { store, key, file, maxBytes } = input;
  const handle = await open(file, 'r');
  try {
    if ((await handle.stat()).size > maxBytes) throw new NatsError('file_too_large');
    const reference = await measureStream(handle.createReadStream({ start: 0, autoClose: false }));
    const name = fileName(key, reference);
    await inParallel(partCount(reference), async (part) => {
      const plain = await readPart(handle, reference, part);
      const sealed = sealPart(key, reference, { part, plain });
      await retryTransient(() => store.put({ file: name, part }, sealed), retriesOf(input));
    });
    return reference;
  } finally {
    await handle.close();
  }
}

/** Sends bytes as a file. Rejects as `sendFile` does. */
export async function sendBytes(
  bytes: Uint8Array,
  input: Omit<TransferInput, 'file' | 'maxBytes'>,
): Promise<FileReference> {
  const { store, key } = input;
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const reference = { digest, sizeBytes: bytes.length };
  const name = fileName(key, reference);
  await inParallel(partCount(reference), async (part) => {
    const start = part * partBytes;
    const sealed = sealPart(key, reference, {
      part,
      plain: bytes.subarray(start, start + sizeOfPart(reference, part)),
    });
    await retryTransient(() => store.put({ file: name, part }, sealed), retriesOf(input));
  });
  return reference;
}

async function readPart(handle: FileHandle, reference: FileReference, part: number): Promise<Buffer> {
  const plain = Buffer.alloc(sizeOfPart(reference, part));
  const { bytesRead } = await handle.read(plain, { position: part * sizeOfPart(reference, 0) });
  // A file that shrank; its receiver would refuse it.
  if (bytesRead !== plain.length) throw new NatsError('file_missing');
  return plain;
}

/**
 * Fetches a file to a path where no other file is. Each part is checked when it arrives and the whole at the end; the
 * file gets its name when it is on the disk, and nothing is left behind otherwise. Rejects with `file_too_large`,
 * `file_missing`, `file_forged`, `timeout` or another `NatsError`, or the error of the file system.
 */
export async function fetchFile(reference: FileReference, input: TransferInput): Promise<void> {
  const { file, maxBytes } = input;
  requireSize(reference, maxBytes);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.part`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await receiveParts(reference, input, (plain, position) => handle.write(plain, 0, plain.length, position));
    await handle.sync();
    await handle.close();
    await rename(temporary, file);
    await syncFolders([path.dirname(file)]);
  } finally {
    await handle.close().catch(() => {});
    await rm(temporary, { force: true });
  }
}

/** Fetches a file into memory, for content that must not be on a disk. Rejects as `fetchFile` does. */
export async function fetchBytes(reference: FileReference, input: Omit<TransferInput, 'file'>): Promise<Buffer> {
  requireSize(reference, input.maxBytes);
  const bytes = Buffer.alloc(reference.sizeBytes);
  await receiveParts(reference, input, async (plain, position) => void plain.copy(bytes, position));
  return bytes;
}

function requireSize({ sizeBytes }: FileReference, maxBytes: number): void {
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0 || sizeBytes > maxBytes) throw new NatsError('file_too_large');
}

/** Receives the parts of a file, each checked when it arrives, and compares the whole with its digest. */
async function receiveParts(
  reference: FileReference,
  input: Omit<TransferInput, 'file'>,
  take: (plain: Buffer, position: number) => Promise<unknown>,
): Promise<void> {
  const { key } = input;
  const name = fileName(key, reference);
  const hash = createHash('sha256');
  const arrived = new Map<number, Buffer>();
  let next = 0;
  await inParallel(partCount(reference), async (part) => {
    const sealed = await requirePart(input, { file: name, part });
    const plain = openPart(key, reference, { part, sealed });
    await take(plain, part * partBytes);
    arrived.set(part, plain);
    // The digest is over the parts in order; few of them wait at any time.
    for (let ready = arrived.get(next); ready; ready = arrived.get(next)) {
      hash.update(ready);
      arrived.delete(next);
      next += 1;
    }
  });
  if (`sha256:${hash.digest('hex')}` !== reference.digest) throw new NatsError('file_forged');
}

/** Finds a part that was stored. Another member of a cluster than the one that stored it may answer a moment too early. */
async function requirePart(input: Omit<TransferInput, 'file' | 'maxBytes' | 'key'>, address: PartAddress) {
  const { store, signal, retryMs = usualRetryMs } = input;
  for (let count = 1; ; count += 1) {
    const sealed = await retryTransient(() => store.find(address), retriesOf(input));
    if (sealed !== undefined) return sealed;
    if (count === lateTries) throw new NatsError('file_missing');
    await pause(retryMs, signal);
  }
}

const retriesOf = ({
  tries = usualTries,
  retryMs = usualRetryMs,
  signal,
}: Pick<TransferInput, 'tries' | 'retryMs' | 'signal'>) => ({
  tries,
  firstMs: retryMs,
  signal,
});

/**
 * Works on the parts in order, a few at a time and never far ahead of the first that has not ended. After an error no
 * further part is started, and it is thrown when all have ended.
 */
async function inParallel(count: number, work: (part: number) => Promise<void>): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const underWay = new Set<number>();
  let oneEnded = Promise.withResolvers<void>();
  const isWindowFull = (): boolean => next > Math.min(...underWay) + windowParts;
  const workOn = async (part: number): Promise<void> => {
    underWay.add(part);
    try {
      await work(part);
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      underWay.delete(part);
      oneEnded.resolve();
      oneEnded = Promise.withResolvers<void>();
    }
  };
  const worker = async () => {
    while (next < count && !hasFailed) {
      if (isWindowFull()) await oneEnded.promise;
      else await workOn(next++);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(parallelParts, count) }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
