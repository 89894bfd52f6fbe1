import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installSupervisor } from './supervisor-home.ts';

let root: string;
const at = (...names: string[]) => path.join(root, ...names);
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'gc-supervisor-'));
  mkdirSync(at('server'));
  write('supervisor.cjs', 'exports.x = 1;');
  write('groundctl.js', 'export const x = 1;');
  writeFileSync(at('node'), '#!/bin/sh\n', { mode: 0o755 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(at('server', name), text);
const install = (version = '1.0.0') =>
  installSupervisor({ dataDir: at('data'), serverDir: at('server'), nodeFile: at('node'), version });
const homes = () => readdirSync(at('data/supervisors'));

test('copies Node and the supervisor to the data folder, for this account only', async () => {
  const { nodePath, entry } = await install();
  const folder = path.dirname(entry);
  expect(path.dirname(folder)).toBe(at('data/supervisors'));
  expect(readdirSync(folder).sort()).toEqual(['node', 'supervisor.cjs']);
  expect([path.basename(entry), nodePath]).toEqual(['supervisor.cjs', path.join(folder, 'node')]);
  expect([statSync(folder).mode & 0o777, statSync(nodePath).mode & 0o777]).toEqual([0o700, 0o700]);
});

test('reuses existing files; another supervisor or another Node gets a separate folder', async () => {
  const first = await install();
  expect(await install()).toEqual(first);
  write('supervisor.cjs', 'exports.x = 2;');
  const second = await install();
  expect(second.entry).not.toBe(first.entry);
  writeFileSync(at('node'), '#!/bin/sh\nexit 0\n');
  expect((await install()).entry).not.toBe(second.entry);
});

test('repeats an interrupted copy', async () => {
  const { entry } = await install();
  const folder = path.dirname(entry);
  rmSync(folder, { recursive: true });
  mkdirSync(`${folder}.new`);
  writeFileSync(path.join(`${folder}.new`, 'node'), 'torn');
  expect((await install()).entry).toBe(entry);
  expect(homes()).toEqual([path.basename(folder)]);
  expect(readFileSync(path.join(folder, 'node'), 'utf8')).toBe('#!/bin/sh\n');
});

test('keeps the current and the previous folder, and removes older ones', async () => {
  const versions = ['1.0.0', '1.1.0', '1.2.0'];
  for (const [at, version] of versions.entries()) {
    const { entry } = await install(version);
    const then = new Date(Date.UTC(2026, 0, at + 1));
    utimesSync(path.dirname(entry), then, then);
  }
  await install('1.3.0');
  expect(
    homes()
      .map((name) => name.slice(0, 5))
      .sort(),
  ).toEqual(['1.2.0', '1.3.0']);
});
