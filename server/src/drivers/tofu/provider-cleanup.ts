import fs from 'node:fs';
import path from 'node:path';
import type { LockEntry } from './lock.ts';
import { hashPackage } from './provider-hash.ts';
import { listPackages, type ProviderPackage } from './provider-store.ts';
import { viewsFolder } from './provider-view.ts';

/**
 * A package in the store. `usedAt` is the last time that a relevant lock named it, or its time of storage; epoch
 * milliseconds.
 */
export type StoredPackage = ProviderPackage & { usedAt: number };

/**
 * Returns the file that marks the last use of a package. It is in the folder above, because the package's own time
 * shows which of two was stored last.
 */
const markOf = (storeDir: string, item: ProviderPackage): string => path.join(storeDir, path.posix.dirname(item.path));

export const listStored = (storeDir: string): StoredPackage[] =>
  listPackages(storeDir).map((item) => ({ ...item, usedAt: fs.statSync(markOf(storeDir, item)).mtimeMs }));

export function noteUse(storeDir: string, item: ProviderPackage, at: number): void {
  fs.utimesSync(markOf(storeDir, item), at / 1_000, at / 1_000);
}

/** Reports whether a lock file selects exactly this package. */
export const isLocked = (item: ProviderPackage, lock: readonly LockEntry[]): boolean =>
  lock.some(({ address, version, hashes }) => {
    return address === item.address && version === item.version && hashes.includes(item.h1);
  });

/** Reports whether the files of a package still have the hash under which they are stored. */
export function isPackageWhole(storeDir: string, item: ProviderPackage): boolean {
  try {
    return hashPackage(path.join(storeDir, item.path)) === item.h1;
  } catch {
    return false;
  }
}

/** Returns absolute paths of views with a missing package: an init would find fewer providers in them than expected. */
export function listBrokenViews(storeDir: string): string[] {
  const views = path.join(storeDir, viewsFolder);
  if (!fs.existsSync(views)) return [];
  return fs
    .readdirSync(views)
    .filter((name) => !name.startsWith('.'))
    .map((name) => path.join(views, name))
    .filter((view) => linksIn(view).some((link) => !fs.existsSync(link)));
}

/** Returns absolute paths of leftovers of an interrupted download: such names begin with a dot and are never used. */
export function listUnfinished(storeDir: string): string[] {
  const folders = [storeDir, path.join(storeDir, viewsFolder)].filter((folder) => fs.existsSync(folder));
  return folders.flatMap((folder) =>
    fs
      .readdirSync(folder)
      .filter((name) => name.startsWith('.'))
      .map((name) => path.join(folder, name)),
  );
}

/** Removes the folders above a removed package, if they are empty. */
export function removeEmptyAbove(storeDir: string, item: ProviderPackage): void {
  const parts = path.posix.dirname(item.path).split('/');
  try {
    for (; parts.length > 0; parts.pop()) fs.rmdirSync(path.join(storeDir, ...parts));
  } catch {
    // The folder has other contents.
  }
}

const linksIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => path.join(entry.parentPath, entry.name));
