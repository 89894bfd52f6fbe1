import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checksumsName, digestsOf, writeChecksums } from './checksums.ts';
import { fillTemplate, valuesOf, writeTemplates } from './templates.ts';

const files = [
  'groundctl-1.2.3.tgz',
  'Ground-Control-1.2.3-mac-arm64.dmg',
  'Ground-Control-1.2.3-mac-x64-unsigned.dmg',
  'Ground-Control-1.2.3-win-x64.exe',
  'Ground-Control-1.2.3-linux-x64.deb',
];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-release-'));
  for (const name of files) writeFileSync(path.join(folder, name), name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('lists the digest of each file, again without its own list', async () => {
  const text = await writeChecksums(folder);
  expect(await writeChecksums(folder)).toBe(text);
  expect(readFileSync(path.join(folder, checksumsName), 'utf8')).toBe(text);
  expect(text).toContain(`${sha256('groundctl-1.2.3.tgz')}  groundctl-1.2.3.tgz\n`);
  expect(text.split('\n')).toHaveLength(files.length + 1);
});

test('refuses a folder without files', async () => {
  for (const name of files) rmSync(path.join(folder, name));
  await expect(writeChecksums(folder)).rejects.toThrow('Build the packages first.');
});

test('fills each template with the address and the digest of its file', async () => {
  const values = valuesOf(await digestsOf(folder), '1.2.3', 'https://downloads.example/v1.2.3');
  const names = writeTemplates(path.join(folder, 'out'), values);
  expect(names).toEqual([
    'homebrew/ground-control.rb',
    'homebrew/groundctl.rb',
    'winget/GroundControl.GroundControl.installer.yaml',
    'winget/GroundControl.GroundControl.locale.en-US.yaml',
    'winget/GroundControl.GroundControl.yaml',
  ]);
  const texts = names.map((name) => readFileSync(path.join(folder, 'out', name), 'utf8'));
  for (const text of texts) expect(text).not.toMatch(/@[A-Z0-9_]+@/);
  const [cask, formula, installer] = texts;
  expect(cask).toContain('https://downloads.example/v1.2.3/Ground-Control-1.2.3-mac-x64-unsigned.dmg');
  expect(formula).toContain(`sha256 "${sha256('groundctl-1.2.3.tgz')}"`);
  expect(installer).toContain(`InstallerSha256: ${sha256('Ground-Control-1.2.3-win-x64.exe')}`);
});

test('refuses a release that lacks a file, and a placeholder without a value', async () => {
  rmSync(path.join(folder, 'Ground-Control-1.2.3-win-x64.exe'));
  const digests = await digestsOf(folder);
  expect(() => valuesOf(digests, '1.2.3', 'https://downloads.example')).toThrow('0 files for NSIS_X64');
  expect(() => fillTemplate('@NOTHING@', new Map())).toThrow('The placeholder NOTHING has no value.');
});
