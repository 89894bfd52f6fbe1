import { createHash } from 'node:crypto';
import { idBytes, type ObjectFormat } from './git-object.ts';
import { packCount, packHeaderBytes } from './pack.ts';

/**
 * One pack of a kept one and what a server sent on top of it (`thin-pack`, gitprotocol-v2): deltas by id find their base
 * in the kept part, and those by distance stay as far from theirs. It is read with every proof of a pack that came whole.
 * Throws `GitError` where one of them is no pack or both hold too many objects.
 */
export function joinPacks(base: Buffer, thin: Buffer, format: ObjectFormat): Buffer {
  const count = packCount(base, format) + packCount(thin, format);
  const head = Buffer.from(base.subarray(0, packHeaderBytes));
  head.writeUInt32BE(count, packHeaderBytes - 4);
  const entriesOf = (pack: Buffer) => pack.subarray(packHeaderBytes, pack.length - idBytes(format));
  const body = Buffer.concat([head, entriesOf(base), entriesOf(thin)]);
  return Buffer.concat([body, createHash(format).update(body).digest()]);
}
