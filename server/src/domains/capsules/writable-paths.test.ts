import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTree } from '#server/kernel/remove-tree';
import { tempDir } from '../../../test/harness.ts';
import { listUsablePaths, requireWritablePaths } from './writable-paths.ts';

let root: string;
const at = (name: string) => path.join(root, name);
beforeAll(() => {
  root = realpathSync(tempDir());
  for (const name of ['out', 'other', 'data/inside', 'home/ada/.ssh/keys', 'home/ada/site/.well-known'])
    mkdirSync(at(name), { recursive: true });
  mkdirSync(at('out/deeper'));
  symlinkSync(at('out'), at('link'));
  writeFileSync(at('file'), '');
});
afterAll(() => removeTree(root));

const portsOf = (isLocal: boolean) => ({ isLocal, home: at('home/ada'), reserved: [at('data/inside')] });
const check = (paths: string[], isLocal = true) => requireWritablePaths(paths, portsOf(isLocal));
const refusal = (paths: string[], isLocal?: boolean) => {
  try {
    return check(paths, isLocal);
  } catch (error) {
    const { details } = error as { details: { reason: string; field: string } };
    return [details.reason, details.field];
  }
};

describe('the folders that a Capsule may write to', () => {
  test('are sorted and without repeats', () => {
    expect(check([at('out'), at('other'), at('out')])).toEqual([at('other'), at('out')]);
    expect(check([])).toEqual([]);
  });

  test.each([
    '/',
    '/etc',
    '/etc/cron.d',
    '/usr/local/bin',
    '/proc/self',
    '/svc/tree',
    '/home',
    '/home/ada',
    '/home/ada/.ssh',
    '/tmp',
    '/var',
    '/root',
    'relative',
    '/tmp/../etc',
    '/tmp//x',
    '/tmp/x/',
    '',
  ])('refuses %s', (folder) => {
    expect(refusal([folder])).toEqual(['writable_path_refused', '/writablePaths/0']);
  });

  test('refuses a home folder, the data of the server, a link, a file and a missing folder', () => {
    for (const name of ['home/ada', 'home', 'data', 'data/inside', 'link', 'link/deeper', 'file', 'none'])
      expect(refusal([at('out'), at(name)]), name).toEqual(['writable_path_refused', '/writablePaths/1']);
  });

  test('refuses settings of the user, such as SSH keys, and accepts other hidden folders', () => {
    for (const name of ['home/ada/.ssh', 'home/ada/.ssh/keys'])
      expect(refusal([at(name)]), name).toEqual(['writable_path_refused', '/writablePaths/0']);
    expect(check([at('home/ada/site/.well-known')])).toEqual([at('home/ada/site/.well-known')]);
  });

  test('refuses nested folders, because a module could replace the inner one with a link', () => {
    expect(refusal([at('out'), at('out/deeper')])).toEqual(['writable_path_refused', '/writablePaths/1']);
  });

  test('refuses every folder on a server that other machines reach', () => {
    expect(refusal([at('out')], false)).toEqual(['writable_path_refused', '/writablePaths']);
    expect(refusal([], false)).toEqual([]);
  });

  test('are left out of a Run once they would be refused', () => {
    expect(listUsablePaths([at('out'), at('none'), at('data')], portsOf(true))).toEqual([at('out')]);
    expect(listUsablePaths([at('out')], portsOf(false))).toEqual([]);
  });
});
