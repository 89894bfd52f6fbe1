import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clearStandbyFiles, codeFolderIn, startStandby } from './standby.ts';

let standbyDir: string;
beforeEach(() => {
  standbyDir = mkdtempSync(path.join(tmpdir(), 'gc-standby-'));
});
afterEach(() => rmSync(standbyDir, { recursive: true, force: true }));

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) => (one.isFile() ? [one.name] : []));

test('a supervisor stores its compiled code, and the next server removes that of another version', async () => {
  const entry = path.join(standbyDir, 'entry.mjs');
  writeFileSync(entry, 'process.stdin.resume();');
  const codeDir = codeFolderIn(standbyDir);
  const standby = await startStandby({ standbyDir, codeDir, nodePath: process.execPath, entry, sharesNetwork: true });
  standby.dismiss();
  await standby.exited;
  const compiled = listFiles(codeDir);
  expect(compiled).not.toEqual([]);
  const outdated = path.join(path.dirname(codeDir), '0.0.1');
  mkdirSync(outdated);
  clearStandbyFiles(standbyDir);
  expect(existsSync(outdated)).toBe(false);
  expect(listFiles(codeDir)).toEqual(compiled);
});
