import { createHash } from 'node:crypto';
import { measureStream } from '#server/kernel/file-digest';
import { backupLimits } from '#shared/limits';
import { encodeHeader, endOfTar, paddingAfter } from '../archive/index.ts';
import { BackupError } from './backup-error.ts';
import {
  type BackupHead,
  type BackupMember,
  checkMembers,
  manifestOf,
  manifestPath,
  tooLarge,
} from './backup-manifest.ts';
import { iterate, streamOf } from './byte-reader.ts';
import { createEncrypter, type EncryptFor } from './encryption.ts';
import { type WrittenFile, writeWholeFile } from './whole-file.ts';

/** Content of a member: bytes, or a stream of them. */
type MemberContent = Uint8Array | AsyncIterable<Uint8Array>;
/**
 * A file to back up. `open` is called once to compute size and digest, and again to copy the content. When both are
 * given, it is called only to copy.
 */
export type BackupInput = {
  path: string;
  executable?: boolean;
  known?: { sizeBytes: number; digest: string };
  open: () => MemberContent | Promise<MemberContent>;
};
type BackupInputs = Iterable<BackupInput> | AsyncIterable<BackupInput>;
export type WriteBackup = { manifest: BackupHead; members: BackupInputs; encryptFor: EncryptFor };

/**
 * Returns the bytes of an encrypted backup: a tar with `manifest.json` first, then the members in their order. Reads one
 * piece at a time. Throws `BackupError` before the first byte when a path, a limit or a recipient is refused, and while
 * it is read when a member changed between the two readings.
 */
export async function streamBackupArchive(request: WriteBackup): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = await createEncrypter(request.encryptFor);
  const members = await measureAll(request.members);
  const listed = members.map(({ member }) => member);
  checkMembers(listed, backupLimits);
  const head = Buffer.from(`${JSON.stringify(manifestOf(request.manifest, listed))}\n`);
  if (head.length > backupLimits.manifestBytes) throw tooLarge();
  return inPieces(iterate(await encrypter.encrypt(streamOf(inPieces(tarOf(head, members))))));
}

/**
 * Writes an encrypted backup file of mode 0600. It appears completely or not at all: `<file>.partial`, fsync, rename,
 * fsync of the folder. Replaces an existing file.
 */
export async function writeBackupArchive(request: WriteBackup & { file: string }): Promise<WrittenFile> {
  const { file, ...content } = request;
  return writeWholeFile(file, () => streamBackupArchive(content));
}

type MeasuredInput = { input: BackupInput; member: BackupMember };

async function measureAll(inputs: BackupInputs): Promise<MeasuredInput[]> {
  const measured: MeasuredInput[] = [];
  for await (const input of inputs) {
    if (measured.length === backupLimits.members) throw tooLarge();
    const { sizeBytes, digest } = input.known ?? (await measureStream(chunksOf(await input.open())));
    const { path, executable } = input;
    measured.push({ input, member: { path, sizeBytes, digest, ...(executable && { executable }) } });
  }
  return measured;
}

async function* chunksOf(content: MemberContent): AsyncGenerator<Uint8Array, void, void> {
  if (content instanceof Uint8Array) yield content;
  else yield* content;
}

const zeros = Buffer.alloc(512);

async function* tarOf(head: Buffer, members: readonly MeasuredInput[]): AsyncGenerator<Uint8Array, void, void> {
  yield encodeHeader({ path: manifestPath, executable: false, size: head.length });
  yield head;
  yield zeros.subarray(0, paddingAfter(head.length));
  for (const { input, member } of members) {
    yield encodeHeader({ path: member.path, executable: member.executable === true, size: member.sizeBytes });
    yield* unchanged(chunksOf(await input.open()), member);
    yield zeros.subarray(0, paddingAfter(member.sizeBytes));
  }
  yield endOfTar;
}

/** Passes the content on. Throws `backup_member_changed` when it is not what the manifest says. */
async function* unchanged(content: AsyncIterable<Uint8Array>, member: BackupMember): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let left = member.sizeBytes;
  for await (const chunk of content) {
    left -= chunk.length;
    if (left < 0) throw memberChanged();
    hash.update(chunk);
    yield chunk;
  }
  if (left !== 0 || `sha256:${hash.digest('hex')}` !== member.digest) throw memberChanged();
}

const memberChanged = () =>
  new BackupError('backup_member_changed', 'A file changed while it was backed up. Back up again.');

const pieceBytes = 1 << 20;

/** Joins small chunks, because each one costs a turn of the streams, and of a busy server that passes it on. */
async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    pending.push(chunk);
    bytes += chunk.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(pending, bytes);
    pending = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pending, bytes);
}
