import fs from 'node:fs';
import path from 'node:path';
import { backupLimits } from '#shared/limits';
import type { OmittedFile } from './about-members.ts';

/** A file of the data folder: its path there, and the file to read. */
export type FolderFile = {
  path: string;
  file: string;
  executable: boolean;
  /** Size and digest, when they were just checked. */
  known?: { sizeBytes: number; digest: string };
};
export type FileListing = { files: FolderFile[]; omitted: OmittedFile[] };

type Options = {
  /** Folder to list; a missing one has no files. */
  dir: string;
  /** Path of the folder in the data folder. */
  name: string;
  /** Reports whether an entry is left out without a remark, by its path below the folder. */
  isSkipped?: (relative: string) => boolean;
  /** Number of entries after which the rest is left out, named by one remark. */
  maxFiles?: number;
};

/** Lists the regular files below a folder that a backup can hold, in the order of their paths, and names the others. */
export function listFiles({
  dir,
  name,
  isSkipped = () => false,
  maxFiles = Number.POSITIVE_INFINITY,
}: Options): FileListing {
  const found: FileListing = { files: [], omitted: [] };
  let isCut = false;
  const isFull = () => found.files.length + found.omitted.length >= maxFiles;
  const visit = (relative: string): void => {
    const entries = entriesOf(path.join(dir, relative));
    if (entries === undefined) found.omitted.push({ path: `${name}/${relative}`, reason: 'unreadable' });
    for (const entry of entries ?? []) {
      const inner = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (isSkipped(inner)) continue;
      if (isFull()) {
        isCut = true;
        return;
      }
      add(entry, inner);
    }
  };
  const add = (entry: fs.Dirent, relative: string): void => {
    const inBackup = `${name}/${relative}`;
    const file = path.join(dir, relative);
    const reason = findReason(entry, inBackup);
    if (reason !== undefined) found.omitted.push({ path: inBackup, reason });
    else if (entry.isDirectory()) visit(relative);
    else found.files.push({ path: inBackup, file, executable: isExecutable(file) });
  };
  visit('');
  if (isCut) found.omitted.push({ path: name, reason: 'too_many' });
  return found;
}

function isExecutable(file: string): boolean {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return ((stats?.mode ?? 0) & 0o100) !== 0;
}

/** Returns the reason that a backup cannot hold an entry. */
function findReason(entry: fs.Dirent, inBackup: string): OmittedFile['reason'] | undefined {
  if (isUnusual(entry.name, inBackup)) return 'name';
  return entry.isDirectory() || entry.isFile() ? undefined : 'link';
}

/** Returns the entries of a folder: none when it is missing, undefined when it cannot be read. */
function entriesOf(dir: string): fs.Dirent[] | undefined {
  try {
    const entries = fs.readdirSync(dir, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a backup refuses such names
const unusual = /[\u0000-\u001f\u007f\\\ufffd]/;

/** Reports whether a backup cannot hold a name: U+FFFD stands for bytes that are not UTF-8. */
const isUnusual = (name: string, whole: string): boolean =>
  unusual.test(name) ||
  !name.isWellFormed() ||
  Buffer.byteLength(name) > backupLimits.nameBytes ||
  Buffer.byteLength(whole) > backupLimits.pathBytes;
