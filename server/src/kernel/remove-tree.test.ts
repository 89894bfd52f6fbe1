import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { removeTree, removeTreeInBreaks } from './remove-tree.ts';

let root: string;
beforeEach(() => {
  root = tempDir();
});
afterEach(() => {
  fs.rmSync(root, { recursive: true, force: true });
});
const at = (...names: string[]) => path.join(root, ...names);
const go = () => false;

test('removes everything in a folder, whatever its name and mode, and the bytes are counted', async () => {
  fs.mkdirSync(at('tree', 'deep', 'er'), { recursive: true });
  fs.writeFileSync(at('tree', 'a'), 'x'.repeat(1_000));
  fs.writeFileSync(at('tree', 'deep', 'er', 'b'), 'y'.repeat(24));
  fs.writeFileSync(Buffer.concat([Buffer.from(at('tree', 'deep', '/')), Buffer.from([0xff, 0xfe])]), 'z');
  fs.chmodSync(at('tree', 'deep', 'er'), 0o000);
  fs.chmodSync(at('tree', 'deep'), 0o500);
  expect(await removeTreeInBreaks(at('tree'), go)).toBe(1_025);
  expect(fs.readdirSync(root)).toEqual([]);
});

test('removes links and keeps their targets', async () => {
  fs.mkdirSync(at('outside'));
  fs.writeFileSync(at('outside', 'kept'), 'kept');
  fs.mkdirSync(at('tree'));
  fs.symlinkSync(at('outside'), at('tree', 'folder'));
  fs.symlinkSync(at('outside', 'kept'), at('tree', 'file'));
  fs.linkSync(at('outside', 'kept'), at('tree', 'second-name'));
  expect(await removeTreeInBreaks(at('tree'), go)).toBe(fs.lstatSync(at('outside')).isDirectory() ? linkBytes() : 0);
  expect(fs.readFileSync(at('outside', 'kept'), 'utf8')).toBe('kept');
  fs.symlinkSync(at('outside'), at('link'));
  await removeTreeInBreaks(at('link'), go);
  expect(fs.readdirSync(at('outside'))).toEqual(['kept']);
});
/** A link occupies the bytes of its text; a second name of a file frees none. */
const linkBytes = () => at('outside').length + at('outside', 'kept').length;

test('an interrupted removal leaves the rest for the next one', async () => {
  fs.mkdirSync(at('tree'));
  for (let n = 0; n < 20; n += 1) fs.writeFileSync(at('tree', `f${n}`), 'x');
  let checks = 0;
  const first = await removeTreeInBreaks(at('tree'), () => {
    checks += 1;
    return checks > 5;
  });
  expect(first).toBeGreaterThan(0);
  expect(fs.readdirSync(at('tree')).length).toBe(20 - first);
  expect(await removeTreeInBreaks(at('tree'), go)).toBe(20 - first);
  expect(await removeTreeInBreaks(at('tree'), go)).toBe(0);
});

test('removes folders nested deeper than a path can name, at once and beside other work', async () => {
  for (const remove of [removeTree, (target: string) => removeTreeInBreaks(target, go)]) {
    nest(at('tree'), 60);
    await remove(at('tree'));
    expect(fs.readdirSync(root)).toEqual([]);
  }
});

/** Nests folders from the innermost: each level is created separately and moved under the next one. */
function nest(target: string, levels: number): void {
  const name = 'd'.repeat(200);
  fs.mkdirSync(target);
  for (let level = 0; level < levels; level += 1) {
    const parent = `${target}-parent`;
    fs.mkdirSync(parent);
    fs.renameSync(target, path.join(parent, name));
    fs.renameSync(parent, target);
  }
}

test('moves folders up early enough for the shorter paths of macOS', () => {
  nest(at('tree'), 4);
  const { renameSync } = fs;
  const moved: number[] = [];
  const rename = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    moved.push(from.toString().length);
    renameSync(from, to);
  });
  removeTree(at('tree'), 'darwin');
  rename.mockRestore();
  expect(fs.readdirSync(root)).toEqual([]);
  expect(moved.length).toBeGreaterThan(0);
  // A folder that was opened has at most 256 bytes, and a name follows.
  expect(Math.max(...moved)).toBeLessThanOrEqual(256 + '/'.length + 200);
});
