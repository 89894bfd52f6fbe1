import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyLeftFiles } from './left-files.ts';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-left-'));
  fs.mkdirSync(path.join(root, 'tree'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const copy = (maxFiles: number, own: readonly string[] = []) =>
  copyLeftFiles({
    dir: path.join(root, 'tree'),
    name: 'capsules/one/tree',
    own: new Set(own),
    copies: path.join(root, 'copies'),
    maxFiles,
  });

it('copies as many files as the limit allows, and remarks the rest once', () => {
  for (const name of ['a', 'b', 'c', 'd']) fs.writeFileSync(path.join(root, 'tree', name), name);
  const { files, omitted } = copy(2, ['a']);
  expect(files.map(({ path: name }) => name)).toEqual(['capsules/one/tree/b', 'capsules/one/tree/c']);
  expect(fs.readFileSync(path.join(root, 'copies/capsules/one/tree/c'), 'utf8')).toBe('c');
  expect(omitted).toEqual([{ path: 'capsules/one/tree', reason: 'too_many' }]);
  fs.rmSync(path.join(root, 'copies'), { recursive: true });
  expect(copy(3, ['a']).omitted).toEqual([]);
});

it('counts the files of every folder', () => {
  for (const name of ['x', 'y']) {
    fs.mkdirSync(path.join(root, 'tree', name));
    for (const inner of ['1', '2']) fs.writeFileSync(path.join(root, 'tree', name, inner), '');
  }
  const { files, omitted } = copy(3);
  expect(files.map(({ path: name }) => name.slice(-3))).toEqual(['x/1', 'x/2', 'y/1']);
  expect(omitted).toEqual([{ path: 'capsules/one/tree', reason: 'too_many' }]);
});
