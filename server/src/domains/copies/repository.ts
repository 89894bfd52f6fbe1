import { existsSync, readFileSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, makeWorkFolder, settle, syncFolder, syncFolders, writeDurably } from '#server/kernel/disk';
import { isCommitId } from '#shared/sources/git-address';

const branch = 'refs/heads/main';

/** Returns the commit that the branch of a copy's repository names; undefined when there is none. */
export function branchCommit(repository: string): string | undefined {
  const file = path.join(repository, branch);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  return isCommitId(text) ? text : undefined;
}

/** Reports whether a copy's repository has a commit; its branch may be further already. */
export const hasCommit = (repository: string, commit: string): boolean =>
  existsSync(path.join(repository, 'objects', commit.slice(0, 2), commit.slice(2)));

/** Number of files that are flushed concurrently. */
const flushedTogether = 16;

/**
 * Moves a prepared repository to its final path, or its objects and branch into the one that exists. The branch moves
 * last, and everything it names is on the disk before it. A repetition after an interruption moves what is left.
 */
export async function publishCommit(
  { repository, commit }: { repository: string; commit: string },
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const names = await listObjects(repository);
  await inGroups(names, (name) => settle(path.join(repository, 'objects', name)), signal);
  const parent = path.dirname(target);
  makeFolder(parent);
  if (!existsSync(target)) {
    await syncFolders(await listFolders(repository));
    await rename(repository, target);
    syncFolder(parent);
    return;
  }
  await inGroups(names, (name) => moveObject(name, { from: repository, to: target }), signal);
  await syncFolders(await listFolders(path.join(target, 'objects')));
  writeDurably(path.join(target, branch), `${commit}\n`);
}

const entriesOf = (folder: string) => readdir(folder, { recursive: true, withFileTypes: true });

/** Returns the paths of the stored objects below `objects`. */
async function listObjects(repository: string): Promise<string[]> {
  const root = path.join(repository, 'objects');
  const files = (await entriesOf(root)).filter((entry) => entry.isFile());
  return files.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

/** Returns a folder with all folders in it. */
async function listFolders(root: string): Promise<string[]> {
  const folders = (await entriesOf(root)).filter((entry) => entry.isDirectory());
  return [root, ...folders.map((entry) => path.join(entry.parentPath, entry.name))];
}

async function moveObject(name: string, { from, to }: { from: string; to: string }): Promise<void> {
  const source = path.join(from, 'objects', name);
  const target = path.join(to, 'objects', name);
  makeWorkFolder(path.dirname(target));
  // An object that exists has the same content, because its name is the digest of it.
  if (existsSync(target)) await rm(source);
  else await rename(source, target);
}

async function inGroups(
  names: readonly string[],
  work: (name: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < names.length; at += flushedTogether) {
    signal.throwIfAborted();
    await Promise.all(names.slice(at, at + flushedTogether).map(work));
  }
}
