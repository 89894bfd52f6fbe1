import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Command } from '../../os/environment.ts';
import { credentialFolder, credentialFolders } from '../../os/memory-folder.ts';
import { removeCredentialFiles } from '../../runner/contract/credential-folders.ts';
import type { RunCredentials } from '../../runner/contract/credentials.ts';
import type { LaunchContext } from '../launch-context.ts';
import { credentialFilesOf, writeCredentialFiles } from './credential-files.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-files-'));
const capsuleDir = path.join(root, 'capsule');
mkdirSync(capsuleDir);
afterAll(() => {
  removeCredentialFiles(capsuleDir);
  rmSync(root, { recursive: true, force: true });
});

const filesOf = (files: RunCredentials['files'], command: Command = 'plan') =>
  credentialFilesOf(
    {
      spec: { credentials: { env: {}, providers: [], secrets: [], files } },
      layout: { seen: { credentials: credentialFolder(capsuleDir) } },
    } as unknown as LaunchContext,
    command,
  );
const file = (at: string, mode = 0o600, content = 'x') => ({
  path: at,
  mode,
  content: Buffer.from(content).toString('base64'),
});

it('commands that do not use providers get no file', () => {
  const counts = (['init', 'get', 'show', 'version', 'plan', 'apply'] as const).map(
    (command) => filesOf([file('a')], command).length,
  );
  expect(counts).toEqual([0, 0, 0, 0, 1, 1]);
});

it('a path that leaves the folder ends the Run before anything is written', () => {
  for (const at of ['../a', '/etc/a', 'a/../../b', 'a//b', './a', '', 'a\0b', 'a/'])
    expect(() => filesOf([file(at)]), at).toThrow(expect.objectContaining({ errorCode: 'plan_failed' }));
});

it('two files with one path end the Run too', () => {
  for (const [one, other] of [
    ['a', 'a'],
    ['a', 'a/b'],
    ['a/b/c', 'a/b'],
  ] as const)
    expect(() => filesOf([file(one), file(other)])).toThrow(expect.objectContaining({ errorCode: 'plan_failed' }));
  expect(filesOf([file('a'), file('ab'), file('b/a')])).toHaveLength(3);
});

it('files are written to a private folder that only the owner can read and that contains no older files', () => {
  const folder = credentialFolder(capsuleDir);
  writeCredentialFiles(capsuleDir, filesOf([file('old')]));
  writeCredentialFiles(
    capsuleDir,
    filesOf([file('deep/er/key', 0o644, 'bytes\0\xff'), file('exec', 0o777), file('none', 0)]),
  );
  const modeOf = (name: string) => statSync(path.join(folder, name)).mode & 0o777;
  expect(existsSync(path.join(folder, 'old'))).toBe(false);
  expect(['', 'deep', 'deep/er'].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
  expect(['deep/er/key', 'exec', 'none'].map(modeOf)).toEqual([0o600, 0o700, 0o400]);
  expect(readFileSync(path.join(folder, 'deep/er/key'), 'utf8')).toBe('bytes\0\xff');
  writeCredentialFiles(capsuleDir, []);
  expect(existsSync(folder)).toBe(false);
});

it('files are removed whatever a module did to the folder, and link targets are kept', () => {
  const folder = credentialFolder(capsuleDir);
  const outside = path.join(root, 'outside');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'kept'), 'x');
  writeCredentialFiles(capsuleDir, filesOf([file('a/key')]));
  symlinkSync(outside, path.join(folder, 'a/link'));
  for (const locked of ['a/key', 'a', '']) chmodSync(path.join(folder, locked), 0o000);
  expect(removeCredentialFiles(capsuleDir)).toBe(true);
  symlinkSync(outside, folder);
  expect(removeCredentialFiles(capsuleDir)).toBe(true);
  expect(credentialFolders(capsuleDir).filter((one) => existsSync(one))).toEqual([]);
  expect(existsSync(path.join(outside, 'kept'))).toBe(true);
});

it('the folder for machines without an in-memory file system is cleaned too', () => {
  const other = path.join(capsuleDir, 'credentials');
  mkdirSync(other);
  writeFileSync(path.join(other, 'key'), 'x');
  expect(removeCredentialFiles(capsuleDir)).toBe(true);
  expect(existsSync(other)).toBe(false);
});
