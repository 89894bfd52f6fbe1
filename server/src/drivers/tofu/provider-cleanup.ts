import fs from 'node:fs';
import path from 'node:path';
import type { LockEntry } from './lock.ts';
import { hashPackage } from './provider-hash.ts';
import { listPackages, type ProviderPackage } from './provider-store.ts';
import { viewsFolder } from './provider-view.ts';

/** A package in the store. `usedAt` is when a lock that counts named it last, or when it was filed; epoch milliseconds. */
export type StoredPackage = ProviderPackage & { usedAt: number };

/** A package's own time tells which of two was filed last, so its use is kept at the folder above it. */
const markOf = (storeDir: string, item: ProviderPackage): string => path.join(storeDir, path.posix.dirname(item.path));

export const listStored = (storeDir: string): StoredPackage[] =>
  listPackages(storeDir).map((item) => ({ ...item, usedAt: fs.statSync(markOf(storeDir, item)).mtimeMs }));

export function noteUse(storeDir: string, item: ProviderPackage, at: number): void {
  fs.utimesSync(markOf(storeDir, item), at / 1_000, at / 1_000);
}

/** Whether a lock file asks for exactly this package. */
export const isLocked = (item: ProviderPackage, lock: readonly LockEntry[]): boolean =>
  lock.some(({ address, version, hashes }) => {
    return address === item.address && version === item.version && hashes.includes(item.h1);
  });

/** Whether the files of a package are still those that gave it its place. */
export function isPackageWhole(storeDir: string, item: ProviderPackage): boolean {
  try {
    return hashPackage(path.join(storeDir, item.path)) === item.h1;
  } catch {
    return false;
  }
}

/** Absolute paths of views of which a package is gone: an init would find less in them than it was shown. */
export function listBrokenViews(storeDir: string): string[] {
  const views = path.join(storeDir, viewsFolder);
  if (!fs.existsSync(views)) return [];
  return fs
    .readdirSync(views)
    .filter((name) => !name.startsWith('.'))
    .map((name) => path.join(views, name))
    .filter((view) => linksIn(view).some((link) => !fs.existsSync(link)));
}

/** Absolute paths of what a fetch that was cut off left: such names begin with a dot and never become anything. */
export function listUnfinished(storeDir: string): string[] {
  const folders = [storeDir, path.join(storeDir, viewsFolder)].filter((folder) => fs.existsSync(folder));
  return folders.flatMap((folder) =>
    fs
      .readdirSync(folder)
      .filter((name) => name.startsWith('.'))
      .map((name) => path.join(folder, name)),
  );
}

/** Removes the folders above a package that is gone, as far as nothing else is in them. */
export function removeEmptyAbove(storeDir: string, item: ProviderPackage): void {
  const parts = path.posix.dirname(item.path).split('/');
  try {
    for (; parts.length > 0; parts.pop()) fs.rmdirSync(path.join(storeDir, ...parts));
  } catch {
    // Something else lies there.
  }
}

const linksIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => path.join(entry.parentPath, entry.name));
