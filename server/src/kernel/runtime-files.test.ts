import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readOrMakeToken, readRuntimeFile, writeRuntimeFile } from './runtime-files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'gc-runtime-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const token = 'op_0123456789012345678901234567890123456789';

test('a token is created once, and stays', () => {
  const file = path.join(dir, 'operator-token');
  expect(readOrMakeToken(file, () => token)).toBe(token);
  expect(readOrMakeToken(file, () => 'another')).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each(['', '\n', 'short', '\0'.repeat(44)])('a truncated token is replaced: %j is not accepted', (torn) => {
  const file = path.join(dir, 'operator-token');
  writeFileSync(file, torn);
  expect(readOrMakeToken(file, () => token)).toBe(token);
  expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
});

test.each(['', '{"pid":', '\0\0'])('a truncated runtime file counts as missing: %j', (torn) => {
  const content = { pid: 1, url: 'http://127.0.0.1:1', startedAt: '', version: '1' };
  expect(readRuntimeFile(dir)).toBeUndefined();
  writeRuntimeFile(dir, content);
  expect(readRuntimeFile(dir)).toEqual(content);
  writeFileSync(path.join(dir, 'runtime.json'), torn);
  expect(readRuntimeFile(dir)).toBeUndefined();
});
