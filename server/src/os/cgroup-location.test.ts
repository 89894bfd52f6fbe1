import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCgroupLocation } from './cgroup-location.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Group = { controllers?: string; subtree?: string; processes?: string };

/** Creates a folder like a version 2 group of the kernel. */
function group(name: string, { controllers = '', subtree = '', processes = '' }: Group): string {
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'cgroup.controllers'), `${controllers}\n`);
  writeFileSync(path.join(folder, 'cgroup.subtree_control'), `${subtree}\n`);
  writeFileSync(path.join(folder, 'cgroup.procs'), processes);
  return folder;
}

type Facts = { cgroups: string; mounts: string; mine?: readonly string[] };

function find({ cgroups, mounts, mine }: Facts) {
  const files = { cgroups: path.join(root, 'self-cgroup'), mounts: path.join(root, 'self-mounts') };
  writeFileSync(files.cgroups, cgroups);
  writeFileSync(files.mounts, mounts);
  return findCgroupLocation({ ...files, canMake: (folder) => mine === undefined || mine.includes(folder) });
}

const second = (): string => `30 20 0:26 / ${root} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n`;
const both = 'cpu memory pids';

test('beside our own group, in the slice of a service or a desktop session', () => {
  const slice = group('user.slice/app.slice', { controllers: both, subtree: both });
  group('user.slice/app.slice/ground.scope', { controllers: both, processes: '12\n' });
  group('', { controllers: both, subtree: both });
  const cgroups = '0::/user.slice/app.slice/ground.scope\n';
  expect(find({ cgroups, mounts: second(), mine: [slice] })).toEqual({ version: 2, folder: slice });
});

test('in our own group when it was delegated with its processes in a group below', () => {
  const own = group('ground.service', { controllers: both, subtree: '' });
  group('ground.service/main', { controllers: both, processes: '12\n' });
  expect(find({ cgroups: '0::/ground.service/main\n', mounts: second(), mine: [own] })).toEqual({
    version: 2,
    folder: own,
  });
  expect(readFileSync(path.join(own, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
});

test('nowhere for a user whose session was not delegated, without the controllers, or with unreadable files', () => {
  group('', { controllers: both, subtree: both });
  group('session.scope', { controllers: both, processes: '12\n' });
  expect(find({ cgroups: '0::/session.scope\n', mounts: second(), mine: [] })).toBeUndefined();
  group('', { controllers: 'cpu', subtree: 'cpu' });
  expect(find({ cgroups: '0::/session.scope\n', mounts: second() })).toBeUndefined();
  expect(find({ cgroups: '', mounts: '' })).toBeUndefined();
  expect(findCgroupLocation({ cgroups: '/nowhere', mounts: '/nowhere', canMake: () => true })).toBeUndefined();
});

test('version 1: below our own group of each hierarchy, also where a container mounted only its part, and with blanks', () => {
  for (const name of ['memory/ours', 'pids', 'a b/here']) mkdirSync(path.join(root, name), { recursive: true });
  const mounts = (memory: string, at: string): string =>
    `31 25 0:27 ${memory} ${at} rw - cgroup cgroup rw,memory\n32 25 0:28 / ${root}/pids rw - cgroup cgroup rw,pids\n`;
  const cgroups = '9:name=systemd:/x\n8:pids:/\n4:memory:/spec/ours\n0::/\n';
  expect(find({ cgroups, mounts: mounts('/spec', `${root}/memory`) })).toEqual({
    version: 1,
    memory: path.join(root, 'memory/ours'),
    pids: path.join(root, 'pids'),
  });
  expect(find({ cgroups, mounts: mounts('/other', `${root}/a\\040b`) })).toMatchObject({
    memory: path.join(root, 'a b'),
  });
  expect(find({ cgroups: '4:memory:/spec/ours\n', mounts: mounts('/spec', `${root}/memory`) })).toBeUndefined();
});
