import { createHash } from 'node:crypto';
import { idBytes, type ObjectFormat } from './git-object.ts';
import { packCount, packHeaderBytes } from './pack.ts';

/**
 * Joins a stored pack and a thin pack that a server sent on top of it (`thin-pack`, gitprotocol-v2). Deltas by id find
 * their base in the stored part, and those by offset keep their distance. The result is verified like a complete pack.
 * Throws `GitError` when one of them is not a pack or both hold too many objects.
 */
export function joinPacks(base: Buffer, thin: Buffer, format: ObjectFormat): Buffer {
  const count = packCount(base, format) + packCount(thin, format);
  const head = Buffer.from(base.subarray(0, packHeaderBytes));
  head.writeUInt32BE(count, packHeaderBytes - 4);
  const entriesOf = (pack: Buffer) => pack.subarray(packHeaderBytes, pack.length - idBytes(format));
  const body = Buffer.concat([head, entriesOf(base), entriesOf(thin)]);
  return Buffer.concat([body, createHash(format).update(body).digest()]);
}
