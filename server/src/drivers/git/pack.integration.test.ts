import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDeep } from '../../../../e2e/fixtures/depth.ts';
import { createTestRepository, type TestRepository } from '../../../../e2e/fixtures/git-server.ts';
import { GitError } from './git-error.ts';
import { readPack } from './pack.ts';

let tempRoot: string;
let repository: TestRepository;
let ids: string[];
let types: Map<string, string>;
beforeAll(() => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-pack-'));
  repository = createTestRepository(path.join(tempRoot, 'r'));
  const lines = Array.from({ length: 400 }, (_, index) => `line ${index} of a file that deltas well`);
  for (let version = 0; version < 12; version += 1) {
    lines[version * 20] = `changed in version ${version}`;
    repository.commit({ 'main.tf': lines.join('\n'), [`v${version}/run.sh`]: `echo ${version}`, empty: '' });
  }
  repository.git('tag', '-a', '-m', 'first', 'v1');
  const listed = repository.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)');
  types = new Map(listed.split('\n').map((line) => line.split(' ') as [string, string]));
  ids = [...types.keys()];
});
afterAll(() => fs.rmSync(tempRoot, { recursive: true, force: true }));

const readWhole = (pack: Buffer) => readPack(pack, 'sha1', () => undefined);
const makePack = (...options: string[]): Buffer => {
  repository.gitWith(`${ids.join('\n')}\n`, 'pack-objects', '-q', '--window=50', ...options, path.join(tempRoot, 'p'));
  const name = fs.readdirSync(tempRoot).find((file) => file.endsWith('.pack')) ?? '';
  const bytes = fs.readFileSync(path.join(tempRoot, name));
  for (const file of fs.readdirSync(tempRoot))
    if (file.startsWith('p-')) fs.rmSync(path.join(tempRoot, file), { force: true });
  return bytes;
};
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return error instanceof GitError ? error.code : `crashed: ${error}`;
  }
  return 'accepted';
};

/** A pack of crafted entries: type, claimed size, bytes between head and stream, content of the stream. */
type RawEntry = { type: number; size: number; between?: Buffer; content: Buffer };
const packOf = (...entries: RawEntry[]): Buffer => {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(entries.length, 8);
  const parts = entries.flatMap(({ type, size, between = Buffer.alloc(0), content }) => [
    entryHead(type, size),
    between,
    deflateSync(content),
  ]);
  const body = Buffer.concat([head, ...parts]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
};
const entryHead = (type: number, size: number): Buffer => {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
};

describe('a pack of Git', () => {
  it.each([
    ['offset deltas', '--delta-base-offset'],
    ['id deltas', '--no-reuse-delta'],
    ['no deltas', '--depth=0'],
    ['stored blocks', '--compression=0'],
  ])('returns every object as Git does: %s', (_title, option) => {
    const objects = readWhole(makePack(option));
    for (const id of ids) {
      const object = objects.read(id);
      expect(object?.type).toBe(types.get(id));
      expect(objects.stat(id)).toEqual({ type: object?.type, size: object?.bytes.length });
      const digest = createHash('sha1')
        .update(`${object?.type} ${object?.bytes.length}\0`)
        .update(object?.bytes ?? '')
        .digest('hex');
      expect(digest).toBe(id);
    }
    expect(objects.read('0'.repeat(40))).toBeUndefined();
    expect(objects.stat('0'.repeat(40))).toBeUndefined();
  });

  it('is never misread when bytes of it change: it is refused, or its remaining objects are correct', () => {
    const pack = makePack('--delta-base-offset');
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 300; round += 1) {
      const copy = Buffer.from(pack);
      for (let change = 0; change <= random(3); change += 1) copy[random(copy.length)] = random(256);
      const cut = random(4) === 0 ? copy.subarray(0, random(copy.length)) : copy;
      expect(codeOf(() => readWhole(cut))).toMatch(/^(accepted|source_fetch_refused|source_too_large)$/);
    }
  });

  it('stops on request', () => {
    const pack = makePack();
    expect(() =>
      readPack(pack, 'sha1', () => {
        throw new Error('stop');
      }),
    ).toThrow('stop');
  });
});

describe('a hostile pack', () => {
  const text = Buffer.from('hello');
  const delta = (base: number, result: number, ...rest: number[]) => Buffer.from([base, result, ...rest]);

  it('cannot make an object larger than it claims, or claim one over the limit', () => {
    expect(codeOf(() => readWhole(packOf({ type: 3, size: 5, content: text })))).toBe('accepted');
    expect(codeOf(() => readWhole(packOf({ type: 3, size: 4, content: text })))).toBe('source_fetch_refused');
    expect(codeOf(() => readWhole(packOf({ type: 3, size: 6, content: text })))).toBe('source_fetch_refused');
    expect(codeOf(() => readWhole(packOf({ type: 3, size: 5, content: Buffer.alloc(64 << 20) })))).toBe(
      'source_fetch_refused',
    );
    expect(codeOf(() => readWhole(packOf({ type: 3, size: 2 ** 40, content: text })))).toBe('source_too_large');
    expect(codeOf(() => readWhole(packOf({ type: 3, size: 2 ** 60, content: text })))).toBe('source_fetch_refused');
  });

  it('cannot make a delta grow beyond its claim or the limit', () => {
    const blob = { type: 3, size: 5, content: text };
    const ofs = (content: Buffer): RawEntry => ({
      type: 6,
      size: content.length,
      between: Buffer.from([entrySize(blob)]),
      content,
    });
    expect(codeOf(() => readWhole(packOf(blob, ofs(delta(5, 5, 0x90, 5)))))).toBe('accepted');
    for (const wrong of [
      delta(4, 5, 0x90, 5),
      delta(5, 9, 0x90, 5),
      delta(5, 4, 0x90, 5),
      delta(5, 5, 0x91, 1, 5),
      delta(5, 5, 0),
      delta(5, 5, 7),
      delta(5, 5, 0x90),
    ]) {
      expect(
        codeOf(() => readWhole(packOf(blob, ofs(wrong)))),
        wrong.toString('hex'),
      ).toBe('source_fetch_refused');
    }
    const gigabyte = Buffer.from([5, 0x80, 0x80, 0x80, 0x80, 0x04, 0x90, 5]);
    expect(codeOf(() => readWhole(packOf(blob, ofs(gigabyte))))).toBe('source_too_large');
  });

  // A sync of such a pack is among the malicious repositories of every run.
  it.runIf(isDeep)('cannot unpack more than the limit, however many deltas it nests', () => {
    const zeros = Buffer.alloc(60 << 20);
    const blob = { type: 3, size: zeros.length, content: zeros };
    // 60 MiB in groups of seven bits, as the size of the base and of the result.
    const sizes = Buffer.from([0x80, 0x80, 0x80, 0x1e, 0x80, 0x80, 0x80, 0x1e]);
    const id = createHash('sha1').update(`blob ${zeros.length}\0`).update(zeros).digest();
    const child = {
      type: 7,
      size: 0,
      between: id,
      content: Buffer.concat([sizes, copyAll(zeros.length)]),
    };
    const children = Array.from({ length: 40 }, () => ({ ...child, size: child.content.length }));
    expect(codeOf(() => readWhole(packOf(blob, ...children)))).toBe('source_too_large');
  });

  it('cannot name a base that is missing, itself, or in a circle', () => {
    const id = createHash('sha1').update('blob 5\0hello').digest();
    const orphan = { type: 7, size: 4, between: id, content: delta(5, 5, 0x90, 5) };
    expect(codeOf(() => readWhole(packOf(orphan)))).toBe('source_fetch_refused');
    expect(codeOf(() => readWhole(packOf(orphan, { type: 3, size: 5, content: text })))).toBe('accepted');
    const zero = { type: 6, size: 4, between: Buffer.from([0]), content: delta(5, 5, 0x90, 5) };
    expect(codeOf(() => readWhole(packOf(zero)))).toBe('source_fetch_refused');
    expect(codeOf(() => readWhole(packOf({ ...zero, between: Buffer.from([3]) })))).toBe('source_fetch_refused');
  });

  it('cannot claim more objects than the limit, an unknown type, or trailing bytes', () => {
    const many = packOf({ type: 3, size: 5, content: text });
    many.writeUInt32BE(0xffffffff, 8);
    expect(codeOf(() => readWhole(many))).toBe('source_too_large');
    expect(codeOf(() => readWhole(packOf({ type: 5, size: 5, content: text })))).toBe('source_fetch_refused');
    expect(codeOf(() => readWhole(Buffer.concat([packOf({ type: 3, size: 5, content: text }), text])))).toBe(
      'source_fetch_refused',
    );
    expect(codeOf(() => readWhole(Buffer.alloc(3)))).toBe('source_fetch_refused');
  });
});

const entrySize = (entry: RawEntry): number =>
  entryHead(entry.type, entry.size).length + deflateSync(entry.content).length;

/** Returns copy instructions for a whole base, 16 MiB - 1 at a time. */
function copyAll(size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < size; at += 0xffffff) {
    const length = Math.min(0xffffff, size - at);
    const bytes = [at, at >>> 8, at >>> 16, at >>> 24, length, length >>> 8, length >>> 16].map((byte) => byte & 255);
    parts.push(Buffer.from([0xff, ...bytes]));
  }
  return Buffer.concat(parts);
}
