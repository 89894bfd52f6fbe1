import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileSystemUsage, measureFolders } from './disk-usage.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'usage-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const mebibyte = 1_048_576;
const inDir = (name: string): string => path.join(dir, name);
const measure = (maxBytes = 100 * mebibyte) => measureFolders([dir], maxBytes);

test('counts allocated bytes in every folder and under every name', async () => {
  mkdirSync(inDir('a/b/c'), { recursive: true });
  writeFileSync(inDir('a/b/c/file'), Buffer.alloc(mebibyte, 1));
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe])]), Buffer.alloc(mebibyte, 1));
  const { bytes, isWhole } = await measure();
  expect(isWhole).toBe(true);
  expect(bytes).toBeGreaterThan(2 * mebibyte);
  expect(bytes).toBeLessThan(2 * mebibyte + 100_000);
});

test('counts a file with two names once, ignores holes and link targets, and counts empty files', async () => {
  writeFileSync(inDir('file'), Buffer.alloc(mebibyte, 1));
  linkSync(inDir('file'), inDir('again'));
  writeFileSync(inDir('holes'), '');
  truncateSync(inDir('holes'), 10 ** 12);
  symlinkSync('/usr', inDir('link'));
  expect((await measure()).bytes).toBeLessThan(mebibyte + 100_000);
  for (let index = 0; index < 1_000; index += 1) writeFileSync(inDir(`empty-${index}`), '');
  expect((await measure()).bytes).toBeGreaterThan(2 * mebibyte - 100_000);
});

test('stops counting at the requested limit, and reports hidden entries', async () => {
  for (let index = 0; index < 50; index += 1) writeFileSync(inDir(`file-${index}`), Buffer.alloc(10_000, 1));
  expect(await measure(100_000)).toMatchObject({ isWhole: false });
  let deep = dir;
  for (let depth = 0; depth < 12; depth += 1) deep = path.join(deep, 'x'.repeat(250));
  mkdirSync(deep, { recursive: true });
  expect((await measure()).isWhole).toBe(true);
  if (process.geteuid?.() === 0) return;
  mkdirSync(inDir('closed'));
  chmodSync(inDir('closed'), 0);
  expect((await measure()).isWhole).toBe(false);
  chmodSync(inDir('closed'), 0o700);
});

test('counts folders of one file system once', () => {
  mkdirSync(inDir('a'));
  expect(fileSystemUsage([dir, inDir('a')]).usedBytes).toBeLessThan(2 * fileSystemUsage([dir]).usedBytes);
  expect(fileSystemUsage([dir]).freeBytes).toBeGreaterThan(0);
});
