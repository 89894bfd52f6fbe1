import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CgroupLocation, groupPrefix } from './cgroup-location.ts';

/**
 * Counts of how often the kernel enforced a limit of a group: processes it ended for memory, processes it refused to
 * start.
 */
type GroupHits = { memory: number; processes: number };

/**
 * Group that contains a command of the tool and everything it starts. A process that cannot write to `/sys/fs/cgroup`
 * cannot leave it.
 */
export type ControlGroup = {
  /** One folder for each hierarchy. */
  readonly folders: readonly string[];
  /**
   * Files to which a process of one thread writes 0 to move itself in, together with everything it starts from then on.
   * Moving another process would take the kernel 5 to 25 ms, because it waits until no process is creating a thread.
   */
  readonly entries: readonly string[];
  hits(): GroupHits;
  /** Ends everything in it and removes it. Returns false when something in it could not be ended in time. */
  end(): Promise<boolean>;
};

type GroupLimits = { memoryBytes: number; processes: number };

/** Returns the group name of a folder in which one Run works at a time, so that a later Run finds leftovers in it. */
export const groupNameOf = (capsuleDir: string): string =>
  groupPrefix + createHash('sha256').update(capsuleDir).digest('hex').slice(0, 24);

/** Creates a group with limits; none of the same name may exist. Throws the error of the file system. */
export function makeGroup(location: CgroupLocation, name: string, limits: GroupLimits): ControlGroup {
  const folders = foldersOf(location, name);
  try {
    for (const folder of folders) mkdirSync(folder);
    limit(location, name, limits);
  } catch (error) {
    for (const folder of folders) removeEmpty(folder);
    throw error;
  }
  return groupIn(folders);
}

/** Returns the group of an earlier process; undefined when it no longer exists. */
export function openGroup(folders: readonly string[]): ControlGroup | undefined {
  const left = folders.filter((folder) => path.basename(folder).startsWith(groupPrefix) && existsSync(folder));
  return left.length === 0 ? undefined : groupIn(left);
}

export function foldersOf(location: CgroupLocation, name: string): string[] {
  return location.version === 2
    ? [path.join(location.folder, name)]
    : [path.join(location.memory, name), path.join(location.pids, name)];
}

function limit(location: CgroupLocation, name: string, { memoryBytes, processes }: GroupLimits): void {
  const set = (folder: string, file: string, value: number): void =>
    writeFileSync(path.join(folder, name, file), String(value));
  // Swapped memory also counts. Not every kernel accounts for swap.
  const trySet = (folder: string, file: string, value: number): void => {
    if (existsSync(path.join(folder, name, file))) set(folder, file, value);
  };
  if (location.version === 2) {
    set(location.folder, 'memory.max', memoryBytes);
    trySet(location.folder, 'memory.swap.max', 0);
    set(location.folder, 'pids.max', processes);
  } else {
    set(location.memory, 'memory.limit_in_bytes', memoryBytes);
    trySet(location.memory, 'memory.memsw.limit_in_bytes', memoryBytes);
    set(location.pids, 'pids.max', processes);
  }
}

function groupIn(folders: readonly string[]): ControlGroup {
  return {
    folders,
    entries: folders.map((folder) => path.join(folder, entryIn(folder))),
    hits: () => ({
      memory: Math.max(...folders.flatMap((folder) => memoryFiles.map((file) => countIn(folder, file, 'oom_kill')))),
      processes: Math.max(...folders.map((folder) => countIn(folder, 'pids.events', 'max'))),
    }),
    end: () => endGroup(folders),
  };
}

/**
 * Returns the file to enter a group. In version 1 a thread can be moved alone, without waiting in the kernel; version 2
 * has no such file.
 */
const entryIn = (folder: string): string => (existsSync(path.join(folder, 'tasks')) ? 'tasks' : 'cgroup.procs');

const memoryFiles = ['memory.events', 'memory.oom_control'] as const;

/** Returns the count of a line `name count` in a group's file; 0 when it is missing. */
function countIn(folder: string, file: string, name: string): number {
  const text = readIfThere(path.join(folder, file));
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

const waitMs = 5;
const endMs = 15_000;

async function endGroup(folders: readonly string[]): Promise<boolean> {
  const deadline = performance.now() + endMs;
  for (;;) {
    for (const folder of folders) killIn(folder);
    if (folders.every(removeEmpty)) return true;
    if (performance.now() > deadline) return false;
    await delay(waitMs);
  }
}

/**
 * Ends all processes of a group. New processes are prevented first, so that a process that starts others quickly also
 * ends.
 */
function killIn(folder: string): void {
  const processes = readIfThere(path.join(folder, 'cgroup.procs')).trim();
  if (processes === '') return;
  tryWrite(path.join(folder, 'pids.max'), '0');
  if (tryWrite(path.join(folder, 'cgroup.kill'), '1')) return;
  for (const pid of processes.split('\n').map(Number)) {
    try {
      if (pid > 1) process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Writes only to files that the kernel created: in a version 1 group `cgroup.kill` does not exist, and must not be
 * created.
 */
function tryWrite(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

/** Removes a group, which is possible once its last process was awaited by its parent. Returns true when it is gone. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
