import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bareTmpFolder, findShortFolder, memoryFolder } from './memory-folder.ts';

const uid = process.geteuid?.();
let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(path.join(tmpdir(), 'short-'));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

const inData = (home: string): string => path.join(home, 'groundctl/capsules', `cap_${'a'.repeat(26)}`);
const onMac = inData('/Users/alice/Library/Application Support');

test('on macOS no folder is in memory, and a private one for sockets is in the temporary folder', () => {
  expect(memoryFolder(onMac, 'darwin')).toBeUndefined();
  const folder = findShortFolder(onMac, { platform: 'darwin', temporary });
  expect(folder).toMatch(new RegExp(`^${temporary}/groundctl-${uid}/[0-9a-f]{24}$`));
  chmodSync(path.join(temporary, `groundctl-${uid}`), 0o755);
  expect(findShortFolder(onMac, { platform: 'darwin', temporary })).toBeUndefined();
});

test('a link in place of the private folder is not used', () => {
  symlinkSync(tmpdir(), path.join(temporary, `groundctl-${uid}`));
  expect(findShortFolder(onMac, { platform: 'darwin', temporary })).toBeUndefined();
  expect(() => bareTmpFolder(onMac, { platform: 'darwin', temporary })).toThrow(/is not private to this account/);
});

test('the folder of temporary files leaves room for the socket of a provider', () => {
  const short = inData('/srv');
  expect(bareTmpFolder(short, { platform: 'darwin', temporary })).toBe(path.join(short, 'tmp'));
  expect(existsSync(path.join(temporary, `groundctl-${uid}`))).toBe(false);
  const folder = bareTmpFolder(onMac, { platform: 'darwin', temporary });
  expect(folder).toMatch(/-tmp$/);
  expect(bareTmpFolder(onMac, { platform: 'darwin', temporary })).toBe(folder);
  expect(`/tmp/groundctl-4294967295/${'0'.repeat(24)}-tmp/plugin4294967295`.length).toBeLessThanOrEqual(103);
  expect(bareTmpFolder(inData('/home/alice/.local/share'), { platform: 'linux', temporary })).toMatch(/\/tmp$/);
});
