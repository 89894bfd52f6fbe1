import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { backupLimits } from '#shared/limits';
import { blockBytes, decodeBlock, decodePaxPath, endOfTar, paddingAfter, type TarHeader } from '../archive/index.ts';
import { asBackupError, BackupError, damaged } from './backup-error.ts';
import {
  type BackupLimits,
  type BackupManifest,
  type BackupMember,
  manifestPath,
  parseManifest,
  tooLarge,
} from './backup-manifest.ts';
import { type ByteReader, createByteReader, streamOf } from './byte-reader.ts';
import { type DecryptWith, decryptStream } from './encryption.ts';

export type ReadBackup = {
  file: string;
  decryptWith: DecryptWith;
  /** Replaces some of the usual limits. */
  limits?: Partial<BackupLimits>;
  /** Called once, before the members. An error that it throws ends the reading. */
  onManifest?: (manifest: BackupManifest) => void | Promise<void>;
  /** Called for each member in order. What it does not read is skipped. */
  onMember?: (member: BackupMember, content: AsyncIterable<Uint8Array>) => void | Promise<void>;
};

/**
 * Reads a backup in one pass with bounded memory, and returns its manifest when everything in it was checked. Until then
 * nothing that the callbacks received may be used: a later part may be damaged. Throws `BackupError`.
 */
export async function readBackupArchive(request: ReadBackup): Promise<BackupManifest> {
  const handle = await openBackup(request.file);
  try {
    await requireHeader(handle);
    const sealed = streamOf(piecesOf(handle));
    const reader = createByteReader(await decryptStream(sealed, request.decryptWith));
    try {
      return await readTar(reader, request);
    } finally {
      await reader.close();
    }
  } catch (error) {
    throw error instanceof CallbackError ? error.cause : asBackupError(error);
  } finally {
    await handle.close();
  }
}

async function openBackup(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file, 'r');
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    throw new BackupError('backup_missing', 'The backup file cannot be opened. Check its path and its mode.', {
      cause: error,
    });
  }
  throw new BackupError('backup_missing', 'The backup is not a regular file. Check its path.');
}

const headerBytes = 65_536;

/** Refuses a file whose header of age does not end early: the library holds a line in memory, whatever its length. */
async function requireHeader(handle: FileHandle): Promise<void> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
  if (!/^age-encryption\.org\/v1\n(?:.{0,4096}\n)*?--- .{1,100}\n/.test(buffer.toString('latin1', 0, bytesRead)))
    throw damaged();
}

const readBytes = 1 << 18;

async function* piecesOf(handle: FileHandle): AsyncGenerator<Uint8Array, void, void> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(readBytes), 0, readBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function readTar(reader: ByteReader, request: ReadBackup): Promise<BackupManifest> {
  const limits = { ...backupLimits, ...request.limits };
  const manifest = await readManifest(reader, limits);
  await calledBack(() => request.onManifest?.(manifest));
  for (const member of manifest.members) {
    const header = await readHeader(reader);
    const isListed = header?.path === member.path && header.size === member.sizeBytes;
    if (!isListed || header.executable !== (member.executable === true)) throw damaged();
    await readMember(reader, member, request);
  }
  const end = await reader.take(endOfTar.length);
  if (!end.equals(endOfTar)) throw damaged();
  await reader.finish();
  return manifest;
}

async function readManifest(reader: ByteReader, limits: BackupLimits): Promise<BackupManifest> {
  const header = await readHeader(reader);
  if (header?.path !== manifestPath || header.executable) throw damaged();
  if (header.size > limits.manifestBytes) throw tooLarge();
  const bytes = await reader.take(header.size);
  await skipPadding(reader, header.size);
  return parseManifest(bytes, limits);
}

/** Returns the next header of a file; undefined at the end. */
async function readHeader(reader: ByteReader): Promise<TarHeader | undefined> {
  const block = decodeBlock(await reader.take(blockBytes));
  if (block.kind === 'end') return undefined;
  if (block.kind === 'file') return block;
  if (block.size > backupLimits.pathBytes + blockBytes) throw damaged();
  const path = decodePaxPath(await reader.take(block.size));
  await skipPadding(reader, block.size);
  const file = decodeBlock(await reader.take(blockBytes));
  if (file.kind !== 'file') throw damaged();
  return { ...file, path };
}

async function skipPadding(reader: ByteReader, size: number): Promise<void> {
  const padding = await reader.take(paddingAfter(size));
  if (padding.some((byte) => byte !== 0)) throw damaged();
}

async function readMember(reader: ByteReader, member: BackupMember, { onMember }: ReadBackup): Promise<void> {
  const hash = createHash('sha256');
  const content = shared(hashed(reader.pass(member.sizeBytes), hash));
  await calledBack(() => onMember?.(member, content));
  for await (const _ of content);
  if (`sha256:${hash.digest('hex')}` !== member.digest) throw damaged();
  await skipPadding(reader, member.sizeBytes);
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** Lets a second loop continue where the first one ended. */
const shared = (pieces: AsyncGenerator<Uint8Array, void, void>): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }),
});

/** Carries an error of a callback out of the reading, which turns other errors into damage. */
class CallbackError extends Error {}

async function calledBack(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (cause) {
    throw new CallbackError('callback failed', { cause });
  }
}
