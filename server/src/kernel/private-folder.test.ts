import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { guardDataFolder } from './private-folder.ts';

let dataDir: string;
let token: string;
beforeEach(() => {
  dataDir = tempDir();
  token = path.join(dataDir, 'operator-token');
});
const modeOf = (file: string) => fs.statSync(file).mode & 0o777;
const refusal = (): string => {
  try {
    guardDataFolder(dataDir);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe.skipIf(process.getuid === undefined)('a data folder', () => {
  test('may be missing', () => {
    dataDir = path.join(dataDir, 'none');
    expect(refusal()).toBe('');
  });

  test('that others may read becomes private', () => {
    fs.chmodSync(dataDir, 0o755);
    fs.writeFileSync(token, 'x', { mode: 0o600 });
    expect(refusal()).toBe('');
    expect(modeOf(dataDir)).toBe(0o700);
  });

  test.each([0o770, 0o777, 0o1777])('that others may write to is refused and stays as it is: %o', (mode) => {
    fs.chmodSync(dataDir, mode);
    expect(refusal()).toMatch(/^Other users may write to it.*chmod 700 /);
    expect(fs.statSync(dataDir).mode & 0o7777).toBe(mode);
  });

  test.runIf(process.getuid?.() === 0)('that another user owns is refused', () => {
    fs.chownSync(dataDir, 12_345, 0);
    expect(refusal()).toMatch(/belongs to another user \(uid 12345\)/);
  });

  test('that is a file is refused', () => {
    dataDir = path.join(dataDir, 'file');
    fs.writeFileSync(dataDir, '');
    expect(refusal()).toMatch(/is not a folder/);
  });
});

describe.skipIf(process.getuid === undefined)('a token file', () => {
  test.each([
    [0o620, /^Other users may write to it/],
    [0o602, /^Other users may write to it/],
    [0o640, /can be read by other users/],
    [0o604, /can be read by other users/],
  ])('with mode %o is refused, and says how to get a new one', (mode, expected) => {
    fs.writeFileSync(token, 'x');
    fs.chmodSync(token, mode);
    expect(refusal()).toMatch(expected);
    expect(refusal()).toMatch(/rm '|Remove it/);
  });

  test('that is a link is refused', () => {
    fs.writeFileSync(path.join(dataDir, 'elsewhere'), 'x', { mode: 0o600 });
    fs.symlinkSync('elsewhere', token);
    expect(refusal()).toMatch(/is not a regular file/);
  });

  test.runIf(process.getuid?.() === 0)('that another user owns is refused', () => {
    fs.writeFileSync(token, 'x', { mode: 0o600 });
    fs.chownSync(token, 12_345, 0);
    expect(refusal()).toMatch(/belongs to another user/);
  });
});
