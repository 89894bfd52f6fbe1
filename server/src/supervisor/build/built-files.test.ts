import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LaunchContext } from '../launch-context.ts';
import { removeFormerlyBuilt } from './built-files.ts';

let capsuleDir: string;
let tree: string;
let context: Pick<LaunchContext, 'spec' | 'layout'>;
beforeEach(() => {
  capsuleDir = mkdtempSync(path.join(tmpdir(), 'gc-built-'));
  tree = path.join(capsuleDir, 'tree');
  context = { spec: { capsuleDir }, layout: { host: { tree } } } as typeof context;
  mkdirSync(path.join(tree, 'a/b'), { recursive: true });
});
afterEach(() => rmSync(capsuleDir, { recursive: true, force: true }));

const at = (name: string): string => path.join(tree, name);

test('removes files of an earlier build and the folders they leave empty, and keeps all other files', () => {
  for (const name of ['a/b/old', 'a/mine', 'kept']) writeFileSync(at(name), '');
  removeFormerlyBuilt(context, ['a/b/old', 'kept']);
  removeFormerlyBuilt(context, ['kept']);
  expect([existsSync(at('a/b')), existsSync(at('a/mine')), existsSync(at('kept'))]).toEqual([false, true, true]);
});

test('removes nothing through a link that replaced a folder', () => {
  const elsewhere = path.join(capsuleDir, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(path.join(elsewhere, 'old'), '');
  removeFormerlyBuilt(context, ['a/b/old']);
  rmSync(at('a/b'), { recursive: true });
  symlinkSync(elsewhere, at('a/b'));
  removeFormerlyBuilt(context, []);
  expect(existsSync(path.join(elsewhere, 'old'))).toBe(true);
});

test.skipIf(process.geteuid?.() === 0).for(['a/b', 'a', ''])(
  'a folder that a command has locked keeps no file of an earlier build: "%s"',
  (locked) => {
    writeFileSync(at('a/b/old'), '');
    removeFormerlyBuilt(context, ['a/b/old']);
    chmodSync(at(locked), 0o000);
    removeFormerlyBuilt(context, []);
    expect(existsSync(at('a'))).toBe(false);
  },
);
