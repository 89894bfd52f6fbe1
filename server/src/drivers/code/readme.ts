import { posix } from 'node:path';
import { readArchive } from '#server/drivers/archive/index';
import { codeLimits } from '#shared/limits';
import { decodeText } from './text.ts';
import type { ReadmeRequest, ReadmeResult } from './types.ts';

/** Extensions in the order of preference; letter case is ignored. */
const extensions = ['.md', '.markdown', '', '.txt', '.rst'];

/** Returns the rank of a README, lowest first, or -1 for another file. */
function rankOf(name: string): number {
  const extension = /^readme(\.[a-z]+)?$/i.exec(name);
  return extension === null ? -1 : extensions.indexOf((extension[1] ?? '').toLowerCase());
}

/** Reads the README of a folder of an archive. Synchronous: call it off the server thread. Throws `ArchiveError`. */
export function readReadme({ path, digest, folder }: ReadmeRequest): ReadmeResult {
  const filter = (file: string): boolean => posix.dirname(file) === folder && rankOf(posix.basename(file)) >= 0;
  let best: { path: string; rank: number; bytes: Buffer } | undefined;
  for (const file of readArchive(path, { filter, digest })) {
    const rank = rankOf(posix.basename(file.path));
    if (best === undefined || rank < best.rank) best = { path: file.path, rank, bytes: file.bytes };
  }
  if (best === undefined) return { kind: 'absent' };
  const isCut = best.bytes.length > codeLimits.readmeBytes;
  const text = decodeText(isCut ? wholeLines(best.bytes) : best.bytes);
  // A README in another encoding cannot be shown exactly.
  if (text === undefined) return { kind: 'absent' };
  return { kind: 'readme', path: best.path, text, sizeBytes: best.bytes.length, ...(isCut && { isCut }) };
}

/** Returns the lines that fit, or none when the first one alone does not. */
function wholeLines(bytes: Buffer): Buffer {
  const head = bytes.subarray(0, codeLimits.readmeBytes);
  return head.subarray(0, head.lastIndexOf(0x0a) + 1);
}
