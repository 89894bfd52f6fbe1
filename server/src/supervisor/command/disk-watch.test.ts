import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchDisk } from './disk-watch.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'disk-watch-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const mebibyte = 1_048_576;

test('detects data over the limit after it was written, at the latest after half a minute', async () => {
  let clock = 0;
  const watch = watchDisk({ folders: [dir], diskBytes: mebibyte, reserveBytes: 0, now: () => clock });
  expect(await watch.check()).toBeUndefined();
  writeFileSync(path.join(dir, 'file'), Buffer.alloc(2 * mebibyte, 1));
  clock += 30_000;
  expect(await watch.check()).toBe('disk');
  expect(await watch.check()).toBeUndefined();
});

test('counts a relevant growth at the end of a command, however short the command was', async () => {
  const watch = watchDisk({ folders: [dir], diskBytes: 64 * mebibyte, reserveBytes: 0, now: () => 0 });
  writeFileSync(path.join(dir, 'file'), Buffer.alloc(80 * mebibyte, 1));
  expect(await watch.checkFinal()).toBe('disk');
});

test('checks the reserve of the disk first, and ignores a missing folder', async () => {
  const options = { diskBytes: 1, now: () => 0 };
  mkdirSync(path.join(dir, 'a'));
  const folders = [path.join(dir, 'a'), path.join(dir, 'nowhere')];
  expect(await watchDisk({ ...options, folders, reserveBytes: Number.MAX_SAFE_INTEGER }).check()).toBe('reserve');
  expect(await watchDisk({ ...options, folders, reserveBytes: 0 }).check()).toBeUndefined();
});
