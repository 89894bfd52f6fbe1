import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readArchive, writeArchive } from '#server/drivers/archive/index';
import { limits } from '#shared/limits';
import { packOutputs } from './build-outputs.ts';

let root: string;
let tree: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'outputs-'));
  tree = path.join(root, 'tree');
  fs.mkdirSync(tree);
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const put = (name: string, text = name, mode = 0o644): void => {
  const file = path.join(tree, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  fs.chmodSync(file, mode);
};
const hole = (name: string, bytes: number): void => {
  put(name, '');
  fs.truncateSync(path.join(tree, name), bytes);
};
function pack(outputs: readonly string[], snapshot: readonly string[] = ['main.tf']) {
  const entries = snapshot.map((name) => ({ path: name, executable: false, bytes: Buffer.from(name) }));
  const { path: archive } = writeArchive({ dir: path.join(root, 'archives'), entries });
  return packOutputs({ tree, outputs, snapshot: archive, dir: path.join(root, 'built') });
}
const refusal = (...args: Parameters<typeof pack>): string => {
  try {
    pack(...args);
  } catch (error) {
    expect(error).toMatchObject({ errorCode: 'source_build_failed', phase: 'build' });
    return (error as Error).message.replace('What the build left cannot be used: ', '');
  }
  return 'taken';
};

test('packs declared files and folders unchanged, each once, and nothing else', () => {
  put('dist/b/x.txt', 'x');
  put('dist/a.sh', 'a', 0o4755);
  put('one.bin', 'one');
  put('other.txt');
  const packed = pack(['dist', 'dist/b', 'one.bin']);
  const packedEntries = [...readArchive(packed.path, { digest: packed.digest })].map(
    ({ path: name, executable, bytes }) => [name, executable, bytes.toString()],
  );
  expect(packedEntries).toEqual([
    ['dist/a.sh', true, 'a'],
    ['dist/b/x.txt', false, 'x'],
    ['one.bin', false, 'one'],
  ]);
  expect(packed).toMatchObject({ bytes: 5 });
});

test('equal files give the same digest, whatever their times and order', () => {
  put('dist/b', 'b');
  put('dist/a', 'a');
  const first = pack(['dist']);
  fs.rmSync(path.join(tree, 'dist'), { recursive: true });
  put('dist/a', 'a');
  put('dist/b', 'b');
  fs.utimesSync(path.join(tree, 'dist/a'), 1, 1);
  expect(pack(['dist']).digest).toBe(first.digest);
  put('dist/b', 'c');
  expect(pack(['dist']).digest).not.toBe(first.digest);
});

test('a file as large as one of a snapshot may be is accepted, and a larger one is refused', () => {
  hole('dist/x', limits.blobBytes);
  expect(refusal(['dist'])).toBe('taken');
  hole('dist/x', limits.blobBytes + 1);
  expect(refusal(['dist'])).toBe('"dist/x" is larger than 64 MB.');
});

test('all files together may not exceed the size of a snapshot', () => {
  const count = limits.archiveBytes / limits.blobBytes;
  for (let index = 0; index < count; index += 1) hole(`dist/${index}`, limits.blobBytes);
  put('more/x', 'x');
  expect(refusal(['dist', 'more'])).toBe('"more/x" is too much: a build may leave 256 MB altogether.');
});

test('a folder of the snapshot stays a folder and a file a file', () => {
  put('docs', 'was a folder');
  put('main/x', 'was a file');
  expect(refusal(['docs'], ['docs/a/b.md'])).toBe('"docs" is a folder of the snapshot, and the build made it a file.');
  expect(refusal(['main'], ['main'])).toBe('"main" is a file of the snapshot, and the build made it a folder.');
});

test('names the file that blocks the path of an output, without its control characters', () => {
  put('a/b', 'file');
  expect(refusal(['a/b/c/d'])).toBe('"a/b" is not a folder, so the output "a/b/c/d" cannot be in it.');
  expect(refusal(['a/x'])).toBe('"a/x" was not made or is locked, but it is declared as an output.');
  put('dist/\u001b[2J\nx');
  expect(refusal(['dist'])).toBe('"dist/\\x1b[2J x" has a control character or backslash in its name.');
});

test('refuses a link in place of the whole copy', () => {
  put('x');
  fs.renameSync(tree, path.join(root, 'moved'));
  fs.symlinkSync(path.join(root, 'moved'), tree);
  expect(refusal(['x'])).toBe('"." is not the folder any more that the build was given.');
  fs.rmSync(tree);
  expect(refusal(['x'])).toBe('"." is not the folder any more that the build was given.');
});

test.skipIf(process.getuid?.() === 0)('reports a locked folder; the copy itself is opened again', () => {
  put('a/x');
  put('b/y');
  fs.chmodSync(tree, 0);
  expect(refusal(['a/x'])).toBe('taken');
  fs.chmodSync(path.join(tree, 'a'), 0);
  expect(refusal(['a/x'])).toBe('"a/x" was not made or is locked, but it is declared as an output.');
  expect(refusal(['a'])).toBe('"a" cannot be read: it is locked, or its path is too long.');
  fs.chmodSync(path.join(tree, 'a'), 0o700);
  fs.chmodSync(path.join(tree, 'b/y'), 0);
  expect(refusal(['b'])).toBe('"b/y" cannot be read: it is locked, or was taken away.');
});
