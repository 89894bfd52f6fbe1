import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/*
 * Writes Git objects and packs byte by byte (gitformat-pack), so that every part can be invalid. Nothing here checks
 * anything.
 */

export type PackObject = { type: 'commit' | 'tree' | 'blob' | 'tag'; bytes: Buffer; id: string };
const kinds = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;

export function make(type: PackObject['type'], content: string | Buffer): PackObject {
  const bytes = Buffer.from(content);
  const id = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
  return { type, bytes, id };
}

export const blob = (content: string | Buffer): PackObject => make('blob', content);

export type RawTreeEntry = readonly [mode: string, name: string | Buffer, id: string];

/** The raw bytes of a tree, with any entries. */
export const tree = (...entries: readonly RawTreeEntry[]): PackObject =>
  make(
    'tree',
    Buffer.concat(
      entries.flatMap(([mode, name, id]) => [
        Buffer.from(`${mode} `),
        Buffer.from(name),
        Buffer.from([0]),
        Buffer.from(id, 'hex'),
      ]),
    ),
  );

const who = 'A <a@example.com> 0 +0000';
const commitText = (treeLine: string): string => `${treeLine}author ${who}\ncommitter ${who}\n\nforged\n`;
export const commit = (treeId: string): PackObject => make('commit', commitText(`tree ${treeId}\n`));
export const tag = (id: string, type: string): PackObject =>
  make('tag', `object ${id}\ntype ${type}\ntag v1\ntagger ${who}\n\nforged\n`);

/** Three bits of type and a size in groups of four, then seven bits. */
export function entryHead(kind: number, size: bigint | number): Buffer {
  let rest = BigInt(size);
  const bytes = [(kind << 4) | Number(rest & 15n)];
  rest >>= 4n;
  while (rest > 0n) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(Number(rest & 127n));
    rest >>= 7n;
  }
  return Buffer.from(bytes);
}

/** An entry that declares a kind and a size; a test can give it a different stream. */
export const entry = (kind: number, size: bigint | number, stream: Buffer, between: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([entryHead(kind, size), between, stream]);
export const whole = ({ type, bytes }: PackObject): Buffer => entry(kinds[type], bytes.length, deflateSync(bytes));

/** Distance back to the base of a delta. */
function backOffset(distance: number): Buffer {
  const bytes = [distance & 127];
  for (let rest = (distance >> 7) - 1; rest >= 0; rest = (rest >> 7) - 1) bytes.unshift((rest & 127) | 128);
  return Buffer.from(bytes);
}
export const offsetDelta = (distance: number, delta: Buffer, size = delta.length): Buffer =>
  entry(6, size, deflateSync(delta), backOffset(distance));
export const idDelta = (baseId: string, delta: Buffer, size = delta.length): Buffer =>
  entry(7, size, deflateSync(delta), Buffer.from(baseId, 'hex'));

/** A size at the beginning of a delta: seven bits at a time, least significant first. */
export function deltaSize(size: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(size);
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}
export const delta = (base: bigint | number, result: bigint | number, ...instructions: readonly Buffer[]): Buffer =>
  Buffer.concat([deltaSize(base), deltaSize(result), ...instructions]);
/** Copies with all seven argument bytes. */
export const copy = (offset: number, length: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes[0] = 0xff;
  bytes.writeUInt32LE(offset >>> 0, 1);
  bytes.writeUIntLE(length, 5, 3);
  return bytes;
};
export const insert = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);

export type PackForm = { count?: number; version?: number; magic?: string; tail?: Buffer };

export function pack(entries: readonly Buffer[], { count, version = 2, magic = 'PACK', tail }: PackForm = {}): Buffer {
  const head = Buffer.alloc(12);
  head.write(magic, 'latin1');
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(count ?? entries.length, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, tail ?? createHash('sha1').update(body).digest()]);
}
