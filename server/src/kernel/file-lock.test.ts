import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withFileLock } from './file-lock.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-lock-'));
  file = path.join(folder, 'new', 'file');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const options = { waitMs: 5_000, staleMs: 60_000, onHeld: () => new Error('held') };
const lock = () => `${file}.lock`;

it('runs work of several callers of one process in turn', async () => {
  let running = 0;
  const work = async () => {
    running += 1;
    const most = running;
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return most;
  };
  expect(await Promise.all([1, 2, 3].map(() => withFileLock(file, options, work)))).toEqual([1, 1, 1]);
  expect(fs.existsSync(lock())).toBe(false);
});

it('gives up after its time while a living process holds the lock', async () => {
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(lock(), String(process.ppid));
  await expect(withFileLock(file, { ...options, waitMs: 100 }, async () => 1)).rejects.toThrow('held');
  expect(fs.existsSync(lock())).toBe(true);
});

it.each([
  ['of a process that has ended', '4194305', 2],
  ['of an earlier process with the same pid', String(process.pid), 2],
  ['that is older than any work', String(process.ppid), 61],
])('takes over a lock %s', async (_, holder, ageSeconds) => {
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(lock(), holder);
  const at = Date.now() / 1_000 - ageSeconds;
  fs.utimesSync(lock(), at, at);
  expect(await withFileLock(file, options, async () => 'done')).toBe('done');
});

it('releases the lock when the work fails', async () => {
  await expect(withFileLock(file, options, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(fs.existsSync(lock())).toBe(false);
});
