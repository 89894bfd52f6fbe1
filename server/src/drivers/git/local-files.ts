import fs from 'node:fs';
import path from 'node:path';
import { openPlain } from '#server/kernel/open-plain';
import { refused, tooLarge } from './git-error.ts';

/** Reader of one folder that others may write to. Names are relative, with `/`. */
export type LocalFiles = {
  /** Returns the whole file; undefined when it does not exist or is a folder. */
  read(name: string, mostBytes: number): Buffer | undefined;
  text(name: string, mostBytes: number): string | undefined;
  /** Returns an open descriptor and the size of the file. The caller closes it. */
  open(name: string): { descriptor: number; size: number } | undefined;
  /** Returns names and kinds in a folder; empty when it does not exist. Throws above `most` entries. */
  list(name: string, most: number): { name: string; isFile: boolean; isFolder: boolean }[];
};

const absent = new Set(['ENOENT', 'ENOTDIR']);
/** Errors for a link, a socket or a device without a driver that replaced a regular file after the last check. */
const swapped = new Set(['ELOOP', 'ENXIO', 'EMLINK']);

/**
 * Creates a reader that opens only regular files, without blocking, and only below the real path of the folder. A FIFO
 * in place of a file would block the reader forever, a device would supply endless data, and a link would lead
 * anywhere. Throws `GitError`.
 */
export function createLocalFiles(root: string): LocalFiles {
  const realRoot = fs.realpathSync.native(root);

  /** Resolved on each access: a folder may become a link while the repository is read. */
  function realFolder(name: string): string | undefined {
    const real = orAbsent(() => fs.realpathSync.native(path.join(realRoot, name)));
    if (real === undefined || real === realRoot || real.startsWith(realRoot + path.sep)) return real;
    throw refused(`A link leads out of the repository: ${name}. Clone the repository and use the clone.`);
  }

  function open(name: string): { descriptor: number; size: number } | undefined {
    const folder = realFolder(path.dirname(name));
    if (folder === undefined) return undefined;
    const file = path.join(folder, path.basename(name));
    const seen = orAbsent(() => fs.lstatSync(file));
    if (seen === undefined || seen.isDirectory()) return undefined;
    if (!seen.isFile()) throw notPlain(name);
    const descriptor = openNamed(file, name);
    const stat = fs.fstatSync(descriptor);
    if (stat.isFile() && stat.ino === seen.ino && stat.dev === seen.dev) return { descriptor, size: stat.size };
    fs.closeSync(descriptor);
    throw notPlain(name);
  }

  function read(name: string, mostBytes: number): Buffer | undefined {
    const opened = open(name);
    if (opened === undefined) return undefined;
    try {
      if (opened.size > mostBytes) throw tooLarge(`The repository's file ${name} is larger than ${mostBytes} bytes.`);
      const bytes = Buffer.alloc(opened.size);
      return bytes.subarray(0, fs.readSync(opened.descriptor, bytes, 0, bytes.length, 0));
    } finally {
      fs.closeSync(opened.descriptor);
    }
  }

  return {
    open,
    read,
    text: (name, mostBytes) => read(name, mostBytes)?.toString('utf8'),
    list(name, most) {
      const folder = realFolder(name);
      const opened = folder === undefined ? undefined : orAbsent(() => fs.opendirSync(folder));
      return opened === undefined ? [] : listAll(opened, { name, most });
    },
  };
}

function listAll(folder: fs.Dir, { name, most }: { name: string; most: number }): ReturnType<LocalFiles['list']> {
  const entries = [];
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length === most) throw tooLarge(`The repository's folder ${name} has more than ${most} entries.`);
      entries.push({ name: entry.name, isFile: entry.isFile(), isFolder: entry.isDirectory() });
    }
    return entries;
  } finally {
    folder.closeSync();
  }
}

function openNamed(file: string, name: string): number {
  try {
    return openPlain(file);
  } catch (error) {
    if (swapped.has(codeOf(error))) throw notPlain(name);
    throw error;
  }
}

const notPlain = (name: string) =>
  refused(`The repository's file ${name} is not a regular file. Clone the repository and use the clone.`);

function orAbsent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (absent.has(codeOf(error))) return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
