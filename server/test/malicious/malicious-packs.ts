import { randomBytes } from 'node:crypto';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { file, type MaliciousCase, one, refused, tooLarge } from './malicious-trees.ts';
import {
  blob,
  commit,
  copy,
  delta,
  deltaSize,
  entry,
  entryHead,
  idDelta,
  insert,
  offsetDelta,
  type PackForm,
  pack,
  tree,
  whole,
} from './pack-writer.ts';

const root = tree(one);
const head = commit(root.id);
const good = [head, root, file].map(whole);
const text = file.bytes;
const mebibyte = 1 << 20;

/** The good pack with additional entries at the end. */
const ending = (name: string, entries: readonly Buffer[], codes = refused, form: PackForm = {}): MaliciousCase => ({
  name,
  codes,
  script: { head: head.id, pack: () => pack([...good, ...entries], form) },
});
const bytes = (name: string, make: () => Buffer, codes = refused): MaliciousCase => ({
  name,
  codes,
  script: { head: head.id, pack: make },
});

const deflated = (content: string | Buffer): Buffer => deflateSync(content);
const goodPack = (): Buffer => pack(good);

const maliciousForms = (): MaliciousCase[] => [
  bytes('no pack at all', () => Buffer.from('PICK')),
  bytes('text in place of a pack', () => Buffer.from('<html>'.repeat(100))),
  bytes('random bytes', () => randomBytes(10_000)),
  bytes('zeros', () => Buffer.alloc(10_000)),
  bytes('a pack of no objects', () => pack([])),
  ...[0, 1, 4, 0xffffffff].map((version) => bytes(`a pack of version ${version}`, () => pack(good, { version }))),
  bytes('a pack with another magic word', () => pack(good, { magic: 'KCAP' })),
  ...[1, 2, 4, 1_000].map((count) => bytes(`a pack of three that says ${count}`, () => pack(good, { count }))),
  ...[200_001, 0x7fffffff, 0xffffffff].map((count) =>
    bytes(`a pack of three that says ${count}`, () => pack(good, { count }), tooLarge),
  ),
  ...[8, 12, 20, 32, 33, 60, 100].map((end) =>
    bytes(`a pack cut after ${end} bytes`, () => goodPack().subarray(0, end)),
  ),
  bytes('a pack without its sum', () => goodPack().subarray(0, -20)),
  bytes('a pack with bytes before its sum', () => pack(good, { tail: Buffer.alloc(21) })),
  bytes('two packs in a row', () => Buffer.concat([goodPack(), goodPack()])),
  bytes('the pack of another commit', () => pack([commit(file.id), root, file].map(whole))),
  bytes('a pack without the file', () => pack([head, root].map(whole))),
  bytes('a pack with another file under its name', () => pack([whole(head), whole(root), whole(blob('other'))])),
];

const maliciousEntries = (): MaliciousCase[] => [
  ...[0, 5].map((kind) => ending(`an entry of kind ${kind}`, [entry(kind, 1, deflated('x'))])),
  ending('an entry that says less than it holds', [entry(3, 3, deflated('four'))]),
  ending('an entry that says more than it holds', [entry(3, 5, deflated('four'))]),
  ending('an empty entry that holds something', [entry(3, 0, deflated('four'))]),
  ending('a MiB that says one byte', [entry(3, 1, deflated(Buffer.alloc(mebibyte)))]),
  ...[65n, 1_024n, 1n << 20n, 1n << 30n].map((size) =>
    ending(`an entry that says ${size} MiB`, [entry(3, size << 20n, deflated('x'))], tooLarge),
  ),
  ending('an entry that says 2^60 bytes', [entry(3, 1n << 60n, deflated('x'))]),
  ending('an entry whose size never ends', [Buffer.concat([Buffer.from([0xbf]), Buffer.alloc(5_000, 0xff)])]),
  ending(
    '64 MiB and one byte of zeros',
    [entry(3, 64 * mebibyte + 1, deflated(Buffer.alloc(64 * mebibyte + 1)))],
    tooLarge,
  ),
  ending('a stream that is not a valid stream', [entry(3, 4, Buffer.from('four'))]),
  ending('a stream without its head', [entry(3, 4, deflateRawSync('four'))]),
  ending('a stream cut in its middle', [entry(3, 1_000, deflated(randomBytes(1_000)).subarray(0, 500))]),
  ending('a stream with a wrong sum', [entry(3, 4, flipLast(deflated('four')))]),
  ending('a stream that wants a dictionary', [entry(3, 4, deflateSync('four', { dictionary: Buffer.from('four') }))]),
  ending('an entry without a stream', [entryHead(3, 4)]),
];

function flipLast(stream: Buffer): Buffer {
  stream[stream.length - 1] = (stream.at(-1) ?? 0) ^ 0xff;
  return stream;
}

/** A delta on the file of the good pack, by its id. */
const onFile = (name: string, content: Buffer, codes = refused): MaliciousCase =>
  ending(`a delta ${name}`, [idDelta(file.id, content)], codes);
const size = text.length;

const maliciousDeltas = (): MaliciousCase[] => [
  onFile('that copies from behind its base', delta(size, 10, copy(size, 10))),
  onFile('that copies over the end of its base', delta(size, 10, copy(size - 5, 10))),
  onFile('that copies from far away', delta(size, 10, copy(0xffffffff, 10))),
  onFile('that copies 16 MiB of a line', delta(size, 0xffffff, copy(0, 0xffffff))),
  onFile('that copies more than it says', delta(size, 3, copy(0, 10))),
  onFile('that copies less than it says', delta(size, 30, copy(0, 10))),
  onFile('that inserts more than it has', delta(size, 100, Buffer.from([100]), Buffer.from('short'))),
  onFile('that inserts more than it says', delta(size, 3, insert('more than three'))),
  onFile('with the reserved instruction', delta(size, 4, Buffer.from([0]), insert('four'))),
  onFile('of another base', delta(size + 1, 4, insert('four'))),
  onFile('of an endless size', Buffer.concat([Buffer.alloc(200, 0xff), insert('four')])),
  onFile('of an endless result', Buffer.concat([deltaSize(size), Buffer.alloc(200, 0x80)])),
  onFile('of 2^62 bytes', delta(size, 1n << 62n, insert('four'))),
  onFile('of nothing', Buffer.alloc(0)),
  onFile('of one byte', Buffer.from([size])),
  onFile('cut in a copy', delta(size, 10, copy(0, 10).subarray(0, 4))),
  ...[65n, 1_024n, 1n << 20n].map((mib) =>
    onFile(`that makes ${mib} MiB`, delta(size, mib << 20n, copy(0, size)), tooLarge),
  ),
  ...[1, 5, 100, 1_000_000].map((distance) =>
    ending(`a delta of what begins ${distance} bytes before`, [offsetDelta(distance, delta(size, 4, insert('four')))]),
  ),
  ending('a delta of itself', [offsetDelta(0, delta(size, 4, insert('four')))]),
  ending('a delta of the head of the pack', [
    offsetDelta(
      good.reduce((sum, one) => sum + one.length, 12),
      delta(size, 4, insert('four')),
    ),
  ]),
  ending('a delta of something that is not there', [idDelta('1'.repeat(40), delta(size, 4, insert('four')))]),
  ending('two deltas of each other', [
    idDelta(blob('right').id, delta(5, 4, insert('left'))),
    idDelta(blob('left').id, delta(4, 5, insert('right'))),
  ]),
  ending('a delta of what it makes', [idDelta(blob('self').id, delta(4, 4, copy(0, 4)))]),
  ending('a delta whose distance never ends', [
    Buffer.concat([entryHead(6, 4), Buffer.alloc(5_000, 0xff), deflated('four')]),
  ]),
  ending('5,000 deltas of one another', chain(5_000)),
  ending('deltas that unpack to gigabytes', bomb(), tooLarge),
];

/** Each is the delta of the previous one. */
function chain(length: number): Buffer[] {
  const entries: Buffer[] = [];
  let before = good.at(-1)?.length ?? 0;
  for (let at = 0; at < length; at += 1) {
    const next = offsetDelta(before, delta(size, size, copy(0, size)));
    entries.push(next);
    before = next.length;
  }
  return entries;
}

/** Some kilobytes that expand to 40 files of 60 MiB, each within the limit of one file. */
function bomb(): Buffer[] {
  const block = Buffer.alloc(mebibyte);
  const copies = Array.from({ length: 60 }, () => copy(0, mebibyte));
  const base = blob(block);
  return [
    whole(base),
    ...Array.from({ length: 40 }, (_, at) =>
      idDelta(base.id, delta(mebibyte, 60 * mebibyte + 2, ...copies, insert(String(10 + at)))),
    ),
  ];
}

/** Faults in the transfer of a repository's objects. */
export const maliciousPacks = (): MaliciousCase[] => [...maliciousForms(), ...maliciousEntries(), ...maliciousDeltas()];
