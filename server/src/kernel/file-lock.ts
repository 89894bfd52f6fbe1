import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from './disk.ts';

type LockOptions = {
  waitMs: number;
  /** Age at which a lock counts as left by a process that died; no process holds it this long. */
  staleMs: number;
  /** Returns the error of a lock that is not released in time. */
  onHeld: () => Error;
};

const pauseMs = 50;
/** Time after which a process that takes the lock has written its name into it. */
const namedMs = 1_000;
/** Locks that this process holds. */
const own = new Set<string>();

/** Runs work while no other caller, in this or another process, runs work under the lock of the same file. */
export async function withFileLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const isHeld = await takeLock(lock, options);
  try {
    return await work();
  } finally {
    if (isHeld) {
      own.delete(lock);
      rmSync(lock, { force: true });
    }
  }
}

/**
 * Takes the lock; returns false when the folder is not writable: no other process writes there either, and reading
 * needs no lock.
 */
async function takeLock(lock: string, { waitMs, staleMs, onHeld }: LockOptions): Promise<boolean> {
  try {
    makeFolder(path.dirname(lock));
  } catch {
    return false;
  }
  for (let waited = 0; waited < waitMs; waited += pauseMs) {
    try {
      nameHolder(openSync(lock, 'wx', 0o600));
      own.add(lock);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
    if (isStale(lock, staleMs)) rmSync(lock, { force: true });
    else await sleep(pauseMs);
  }
  throw onHeld();
}

/** Writes the holder into the lock. A lock without a living holder was left by a crash and does not delay a start. */
function nameHolder(descriptor: number): void {
  try {
    writeSync(descriptor, String(process.pid));
  } catch {
    // On a full disk the lock ends by its age.
  } finally {
    closeSync(descriptor);
  }
}

function isStale(lock: string, staleMs: number): boolean {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN);
  return age > staleMs || (age > namedMs && !isHeldIn(lock));
}

function isHeldIn(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // An earlier process may have had the pid of this one.
    if (pid === process.pid) return own.has(lock);
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
