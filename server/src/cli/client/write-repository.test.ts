import { lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeHeader, endOfTar, paddingAfter } from '../../drivers/archive/index.ts';
import { removeTree } from '../../kernel/remove-tree.ts';
import { writeRepository } from './write-repository.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-repository-'));
afterAll(() => removeTree(root));
const newTarget = () => path.join(mkdtempSync(path.join(root, 'parent-')), 'out');
const leftIn = (dir: string) => readdirSync(path.dirname(dir));

const entry = (name: string, text: string): Buffer => {
  const body = Buffer.from(text);
  const header = encodeHeader({ path: name, executable: false, size: body.length });
  return Buffer.concat([header, body, Buffer.alloc(paddingAfter(body.length))]);
};
/** Yields an archive in chunks of 7 bytes less than a block, so that none of them ends where a block ends. */
async function* chunksOf(archive: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < archive.length; at += 505) yield archive.subarray(at, at + 505);
}

describe('writeRepository', () => {
  it('writes private files and the folders that a repository needs', async () => {
    const dir = newTarget();
    const object = `objects/ab/${'c'.repeat(38)}`;
    const archive = [
      entry('copy_1.git/HEAD', 'ref: refs/heads/main\n'),
      entry('copy_1.git/config', '[core]\n  hooksPath = ./run-this\n'),
      entry(`copy_1.git/${object}`, 'y'.repeat(3_000)),
    ];
    expect(await writeRepository(dir, chunksOf(Buffer.concat([...archive, endOfTar])))).toBe(3);
    expect(readFileSync(path.join(dir, object), 'utf8')).toBe('y'.repeat(3_000));
    expect(readFileSync(path.join(dir, 'config'), 'utf8')).not.toContain('hooksPath');
    expect(lstatSync(path.join(dir, 'HEAD')).mode & 0o777).toBe(0o600);
    // Without these folders Git recognizes no repository.
    expect(readdirSync(dir).toSorted()).toEqual(['HEAD', 'config', 'objects', 'refs']);
    expect(leftIn(dir)).toEqual(['out']);
  });

  it.each([
    ['that is cut short in a file', entry('a.git/HEAD', 'ref').subarray(0, 600)],
    ['without its end', entry('a.git/HEAD', 'ref')],
    ['with a damaged header', Buffer.concat([entry('a.git/HEAD', 'ref').fill(1, 0, 10), endOfTar])],
    ['with a path that leaves the folder', Buffer.concat([entry('a.git/../../HEAD', 'ref'), endOfTar])],
    ['with a hook', Buffer.concat([entry('a.git/hooks/post-checkout', '#!/bin/sh'), endOfTar])],
    ['with a file outside its folder', Buffer.concat([entry('HEAD', 'ref'), endOfTar])],
    ['that is empty', Buffer.alloc(0)],
  ])('leaves nothing behind of an archive %s', async (_, archive) => {
    const dir = newTarget();
    await expect(writeRepository(dir, chunksOf(archive))).rejects.toMatchObject({ code: 'copy_incomplete' });
    expect(leftIn(dir)).toEqual([]);
  });

  it('refuses a folder that is not empty', async () => {
    const dir = path.dirname(newTarget());
    await writeRepository(path.join(dir, 'out'), chunksOf(Buffer.concat([entry('a.git/HEAD', 'ref'), endOfTar])));
    await expect(writeRepository(dir, chunksOf(endOfTar))).rejects.toMatchObject({ code: 'wrong_use' });
  });
});
