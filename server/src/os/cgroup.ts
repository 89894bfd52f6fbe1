import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CgroupLocation, groupPrefix } from './cgroup-location.ts';

/** How often the kernel enforced a limit of a group: processes it ended for memory, processes it refused to start. */
export type GroupHits = { memory: number; processes: number };

/** What a command of the tool and everything it starts lives in. Nobody leaves it who may not write to `/sys/fs/cgroup`. */
export type ControlGroup = {
  /** One folder for each hierarchy. */
  readonly folders: readonly string[];
  /**
   * Files to which a process of one thread writes 0 to move itself in, and with it whatever it starts from then on. To move
   * another one would take the kernel 5 to 25 ms, because it waits until no thread of any process is being made.
   */
  readonly entries: readonly string[];
  hits(): GroupHits;
  /** Ends everything in it and takes it away. False when something in it could not be ended in time. */
  end(): Promise<boolean>;
};

export type GroupLimits = { memoryBytes: number; processes: number };

/** The group of a folder in which one Run works at a time, so that whoever comes later finds what was left in it. */
export const groupNameOf = (capsuleDir: string): string =>
  groupPrefix + createHash('sha256').update(capsuleDir).digest('hex').slice(0, 24);

/** Makes a group with limits; one of the same name must not be there. Throws what the file system says. */
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

/** The group of an earlier process; undefined when nothing of it is there. */
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
  // Memory that is swapped out is memory of the machine all the same. Not every kernel counts swap.
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

/** In version 1 a thread can be moved alone, for which the kernel waits for nobody; version 2 has no such file. */
const entryIn = (folder: string): string => (existsSync(path.join(folder, 'tasks')) ? 'tasks' : 'cgroup.procs');

const memoryFiles = ['memory.events', 'memory.oom_control'] as const;

/** A line `name count` of a group's file; 0 when there is none. */
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

/** No process is started in it any more, so that whatever starts others faster than they are ended comes to an end. */
function killIn(folder: string): void {
  const processes = readIfThere(path.join(folder, 'cgroup.procs')).trim();
  if (processes === '') return;
  tryWrite(path.join(folder, 'pids.max'), '0');
  if (tryWrite(path.join(folder, 'cgroup.kill'), '1')) return;
  for (const pid of processes.split('\n').map(Number)) {
    try {
      if (pid > 1) process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
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

/** Only files the kernel made count: in a version 1 group there is no `cgroup.kill`, and none may be created. */
function tryWrite(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

/** A group can be removed as soon as its last process was awaited by its parent. True when it is gone. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
