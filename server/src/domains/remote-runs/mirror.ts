import { closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#server/kernel/disk';
import { journalFile, truncateTornJournal } from '#server/runner/index';

/** The server's copy of the folder of a job on another machine: the same journal bytes at the same positions, and its files. */
export type Mirror = {
  readonly dir: string;
  /** Creates the folder with an empty journal. */
  create(): void;
  exists(): boolean;
  /** Bytes of the journal that are here. */
  length(): number;
  /** Bytes of all its files. */
  totalBytes(): number;
  /** Appends bytes of the journal at its end. */
  append(bytes: Uint8Array): void;
  /** Cuts off what a power failure of this machine damaged. Returns the new length. */
  repair(): number;
};

export function openMirror(dir: string): Mirror {
  const journal = journalFile(dir);
  return {
    dir,
    create() {
      makeFolder(path.dirname(dir));
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      closeSync(openSync(journal, 'a', 0o600));
    },
    exists: () => existsSync(journal),
    length: () => statSync(journal, { throwIfNoEntry: false })?.size ?? 0,
    totalBytes: () => totalOf(dir),
    append(bytes) {
      const descriptor = openSync(journal, 'a', 0o600);
      try {
        for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
      } finally {
        closeSync(descriptor);
      }
    },
    repair: () => truncateTornJournal(dir),
  };
}

const totalOf = (dir: string): number =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) =>
        sum + (statSync(path.join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
