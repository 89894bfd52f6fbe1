import { rmSync } from 'node:fs';
import path from 'node:path';
import { syncFolder, writeDurably } from '#server/kernel/disk';
import { withFileLock } from '#server/kernel/file-lock';
import { createStoredSource, type KeySource, KeySourceError } from './key-source.ts';
import { readPrivateFile } from './private-file.ts';

/** Two installations may share a key file, and neither may lose the other's key. */
const lockTimes = { waitMs: 5_000, staleMs: 30_000 };

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
    alone: (work) => {
      const onUnwritable = (error: unknown) => unwritable(file, error);
      const onHeld = () => onUnwritable({ code: 'held by another process' });
      return withFileLock(file, { ...lockTimes, onHeld, onUnwritable }, work);
    },
  });
}

function unwritable(file: string, error: unknown): KeySourceError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return new KeySourceError(
    'key_file_refused',
    `The key file ${file} cannot be written (${code}). Make its folder writable, or name another file with GROUNDCTL_KEY_FILE.`,
  );
}
