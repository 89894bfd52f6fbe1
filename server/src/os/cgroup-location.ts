import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Location in which groups of a Run can be created: one folder in version 2, one folder per controller in version 1
 * (cgroups(7)).
 */
export type CgroupLocation = { version: 1; memory: string; pids: string } | { version: 2; folder: string };

/**
 * Files to read the facts from, and a check whether a group with some files can be created in a folder. Tests use their
 * own.
 */
type CgroupHost = { cgroups: string; mounts: string; canMake(folder: string, ...files: string[]): boolean };

const thisProcess: CgroupHost = { cgroups: '/proc/self/cgroup', mounts: '/proc/self/mountinfo', canMake };

/**
 * Finds where this process may create groups with limits of memory and processes, and tests it. Undefined when it may
 * not: an ordinary user outside of a delegated subtree, a container that mounts them read-only, another system. Only
 * our own groups are written to, except that an available controller is enabled.
 */
export function findCgroupLocation(host: CgroupHost = thisProcess): CgroupLocation | undefined {
  try {
    const own = ownGroups(readFileSync(host.cgroups, 'utf8'));
    const mounts = mountsOf(readFileSync(host.mounts, 'utf8'));
    return findSecond(own, mounts, host) ?? findFirst(own, mounts, host);
  } catch {
    return undefined;
  }
}

type Mount = { root: string; point: string; type: string; options: readonly string[] };

/** Parses lines of `/proc/self/cgroup`: the group by the name of its controller, '' for version 2. */
function ownGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, names, ...rest] = line.split(':');
    for (const name of names?.split(',') ?? []) groups.set(name, rest.join(':'));
  }
  return groups;
}

/** Parses lines of `/proc/self/mountinfo` (proc(5)) whose file system holds groups; blanks in paths are octal there. */
function mountsOf(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root, point] = before.split(' ');
    const [type, , options] = after.split(' ');
    if (root === undefined || point === undefined || !type?.startsWith('cgroup')) return [];
    return [{ root: unescapeOctal(root), point: unescapeOctal(point), type, options: options?.split(',') ?? [] }];
  });
}

const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** Returns the folder of a group. A container may have mounted only a part of the hierarchy; then its root is used. */
function folderOf(mount: Mount, group: string): string {
  const below = path.posix.relative(mount.root, group);
  const folder = path.join(mount.point, below.startsWith('..') ? '' : below);
  return existsSync(folder) ? folder : mount.point;
}

/** Version 1: returns a group below our own in each hierarchy, so that our limits apply to the Run too. */
function findFirst(own: Map<string, string>, mounts: readonly Mount[], host: CgroupHost): CgroupLocation | undefined {
  const find = (controller: string): string | undefined => {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    const group = own.get(controller);
    return mount === undefined || group === undefined ? undefined : folderOf(mount, group);
  };
  const memory = find('memory');
  const pids = find('pids');
  if (memory === undefined || pids === undefined) return undefined;
  return host.canMake(memory, 'memory.limit_in_bytes') && host.canMake(pids, 'pids.max')
    ? { version: 1, memory, pids }
    : undefined;
}

/**
 * Version 2: a group that holds processes passes no controller on. Ours are therefore created beside our own group,
 * below the nearest ancestor that has both controllers for its children: the service's or user's slice, `app.slice` of
 * a desktop session, or the unit itself when it runs with a delegated subgroup.
 */
function findSecond(own: Map<string, string>, mounts: readonly Mount[], host: CgroupHost): CgroupLocation | undefined {
  const group = own.get('');
  const mount = mounts.find(({ type }) => type === 'cgroup2');
  if (group === undefined || mount === undefined) return undefined;
  for (let folder = folderOf(mount, group); folder.startsWith(mount.point); folder = path.dirname(folder)) {
    if (hasControllers(folder) && host.canMake(folder, 'memory.max', 'pids.max')) return { version: 2, folder };
  }
  return undefined;
}

const wanted = ['memory', 'pids'] as const;

function hasControllers(folder: string): boolean {
  try {
    const readList = (file: string): string[] => readFileSync(path.join(folder, file), 'utf8').trim().split(/\s+/);
    const isMissing = (list: readonly string[]): boolean => wanted.some((name) => !list.includes(name));
    if (isMissing(readList('cgroup.controllers'))) return false;
    if (!isMissing(readList('cgroup.subtree_control'))) return true;
    if (readList('cgroup.procs').some((pid) => pid !== '')) return false;
    writeFileSync(path.join(folder, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
    return true;
  } catch {
    return false;
  }
}

export const groupPrefix = 'groundctl-';

/** Creates a group, checks whether it can be limited, and removes it. */
function canMake(folder: string, ...files: string[]): boolean {
  const probe = path.join(folder, `${groupPrefix}probe-${process.pid}`);
  try {
    mkdirSync(probe);
    const names = readdirSync(probe);
    rmdirSync(probe);
    return files.every((file) => names.includes(file));
  } catch {
    return false;
  }
}
