import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder, syncFolder, writeDurably } from '#server/kernel/disk';
import { createStoredSource, type KeySource, KeySourceError } from './key-source.ts';
import { readPrivateFile } from './private-file.ts';

const waitMs = 5_000;
const pauseMs = 50;
/** Age at which a lock counts as left by a process that died; no process holds it this long. */
const staleMs = 30_000;
/** Time after which a process that takes the lock has written its name into it. */
const namedMs = 1_000;

/** Stores master keys in one file, mode 0600. Its folder may be read-only as long as no key is created or removed. */
export function createKeyFileSource(file: string): KeySource {
  return createStoredSource({
    kind: 'file',
    keyLocation: file,
    read: async () => readPrivateFile(file),
    write: async (text) => {
      try {
        if (text === undefined) {
          rmSync(file, { force: true });
          syncFolder(path.dirname(file));
        } else writeDurably(file, text);
      } catch (error) {
        throw unwritable(file, error);
      }
    },
    alone: (work) => withLock(file, work),
  });
}

/** Runs work under the lock. Two installations may share a key file, and neither may lose the other's key. */
async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const isHeld = await takeLock(file, lock);
  try {
    return await work();
  } finally {
    if (isHeld) rmSync(lock, { force: true });
  }
}

/**
 * Takes the lock; returns false when the folder is not writable: no other process writes there either, and reading a
 * key needs no lock.
 */
async function takeLock(file: string, lock: string): Promise<boolean> {
  try {
    makeFolder(path.dirname(file));
  } catch {
    return false;
  }
  for (let waited = 0; waited < waitMs; waited += pauseMs) {
    try {
      nameHolder(openSync(lock, 'wx', 0o600));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
    if (isStale(lock)) rmSync(lock, { force: true });
    else await sleep(pauseMs);
  }
  throw unwritable(file, { code: 'held by another process' });
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

function isStale(lock: string): boolean {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN);
  return age > staleMs || (age > namedMs && !isHeldIn(lock));
}

function isHeldIn(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // This process holds no lock: an earlier process may have had the same pid.
    return pid > 0 && pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function unwritable(file: string, error: unknown): KeySourceError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return new KeySourceError(
    'key_file_refused',
    `The key file ${file} cannot be written (${code}). Make its folder writable, or name another file with GROUNDCTL_KEY_FILE.`,
  );
}
