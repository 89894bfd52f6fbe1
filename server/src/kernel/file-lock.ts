import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from './disk.ts';

type LockOptions = {
  waitMs: number;
  /** Age at which a lock counts as left by a process that died; no process holds it this long. */
  staleMs: number;
  /** Returns the error of a lock that is not released in time. */
  onHeld: () => Error;
  /** Returns the error of a lock that cannot be written, for another reason than a folder that is read-only. */
  onUnwritable: (error: unknown) => Error;
};

const pauseMs = 50;
/** Time after which a process that takes the lock has written its name into it. */
const namedMs = 1_000;
/** Names under which this process holds locks. */
const own = new Set<string>();

/** Runs work while no other caller, in this or another process, runs work under the lock of the same file. */
export async function withFileLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const holder = await takeLock(lock, options);
  try {
    return await work();
  } finally {
    if (holder !== undefined) releaseLock(lock, holder);
  }
}

/**
 * Takes the lock and returns the name of its holder; undefined when the folder is not writable: no other process
 * writes there either, and reading needs no lock.
 */
async function takeLock(lock: string, options: LockOptions): Promise<string | undefined> {
  const { waitMs, staleMs, onHeld, onUnwritable } = options;
  try {
    makeFolder(path.dirname(lock));
    for (let waited = 0; waited < waitMs; waited += pauseMs) {
      const holder = createLock(lock);
      if (holder !== undefined) return holder;
      const stale = findStale(lock, staleMs);
      if (stale === undefined) await sleep(pauseMs);
      else removeStale(lock, stale);
    }
  } catch (error) {
    if (isReadOnly(path.dirname(lock), error)) return undefined;
    throw onUnwritable(error);
  }
  throw onHeld();
}

/** Creates the lock and returns the name of its holder; undefined when there is one. */
function createLock(lock: string): string | undefined {
  const holder = `${process.pid}:${randomUUID()}`;
  let descriptor: number;
  try {
    descriptor = openSync(lock, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    writeFileSync(descriptor, holder);
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  own.add(holder);
  return holder;
}

/** Removes the lock, unless another process has taken it over. */
function releaseLock(lock: string, holder: string): void {
  own.delete(holder);
  if (readHolder(lock) === holder) rmSync(lock, { force: true });
}

/** Returns the content of a lock that no living process holds; undefined while it is held, and when it is released. */
function findStale(lock: string, staleMs: number): string | undefined {
  const holder = readHolder(lock);
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN);
  return age > staleMs || (age > namedMs && !isAlive(holder ?? '')) ? holder : undefined;
}

/** Removes a stale lock. When another process took it over first, its lock is put back. */
function removeStale(lock: string, stale: string): void {
  const removed = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, removed);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    if (readHolder(removed) !== stale) linkSync(removed, lock);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(removed, { force: true });
  }
}

function readHolder(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(holder: string): boolean {
  const pid = Number(holder.split(':', 1)[0]);
  // An earlier process may have had the pid of this one.
  if (pid === process.pid) return own.has(holder);
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function isReadOnly(folder: string, error: unknown): boolean {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) return false;
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
