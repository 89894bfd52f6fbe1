import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder, syncFolder, writeDurably } from '#server/kernel/disk';
import { createStoredSource, type KeySource, KeySourceError } from './key-source.ts';
import { readPrivateFile } from './private-file.ts';

const waitMs = 5_000;
const pauseMs = 50;
/** Nobody holds the lock this long; one of this age was left by a process that died. */
const staleMs = 30_000;
/** Who takes the lock has named itself in it after this. */
const namedMs = 1_000;

/** Keeps master keys in one file, mode 0600. Its folder may be read-only as long as no key is made or removed. */
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

/** Two installations may share a key file, and neither may lose the other's key. */
async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const isHeld = await takeLock(file, lock);
  try {
    return await work();
  } finally {
    if (isHeld) rmSync(lock, { force: true });
  }
}

/** False where nothing can be written: there nobody else writes either, and a key that is only taken needs no lock. */
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

/** A lock that names nobody who lives was left by a crash, and holds up no start. */
function nameHolder(descriptor: number): void {
  try {
    writeSync(descriptor, String(process.pid));
  } catch {
    // On a full disk it ends by its age.
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
    // We hold none: a process of an earlier life may have had our number.
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
