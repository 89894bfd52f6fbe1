import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withFileLock } from './file-lock.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-lock-'));
  file = path.join(folder, 'new', 'file');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const options = {
  waitMs: 5_000,
  staleMs: 60_000,
  onHeld: () => new Error('held'),
  onUnwritable: (error: unknown) => error as Error,
};
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

it('does not release a lock that another process has taken over', async () => {
  await withFileLock(file, options, async () => fs.writeFileSync(lock(), `${process.ppid}:other`));
  expect(fs.readFileSync(lock(), 'utf8')).toBe(`${process.ppid}:other`);
});

it('leaves no lock and does no work when its holder cannot be written', async () => {
  const work = vi.fn(async () => 1);
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  vi.spyOn(fs, 'writeFileSync').mockImplementationOnce(() => {
    throw full;
  });
  syncBuiltinESMExports();
  await expect(withFileLock(file, options, work)).rejects.toThrow('full');
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  expect([fs.readdirSync(path.dirname(file)), work.mock.calls]).toEqual([[], []]);
});

it('does no work when the lock cannot be created', async () => {
  fs.writeFileSync(path.dirname(file), '');
  const work = vi.fn(async () => 1);
  await expect(withFileLock(file, options, work)).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(work).not.toHaveBeenCalled();
});

it('puts back the lock of a process that took over a dead one first', async () => {
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(lock(), '4194305:dead');
  const at = Date.now() / 1_000 - 2;
  fs.utimesSync(lock(), at, at);
  const living = `${process.ppid}:living`;
  const { renameSync } = fs;
  vi.spyOn(fs, 'renameSync').mockImplementationOnce((from, to) => {
    fs.writeFileSync(lock(), living);
    renameSync(from, to);
  });
  syncBuiltinESMExports();
  await expect(withFileLock(file, { ...options, waitMs: 200 }, async () => 1)).rejects.toThrow('held');
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  expect(fs.readdirSync(path.dirname(file))).toEqual(['file.lock']);
  expect(fs.readFileSync(lock(), 'utf8')).toBe(living);
});
