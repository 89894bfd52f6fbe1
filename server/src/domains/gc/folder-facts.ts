import { lstatSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Names in a folder, in order; empty when it does not exist. */
export async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(none)).sort();
}

/** Synchronous variant, for items that are checked and removed in one turn of the event loop. */
export function listNamesNow(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    return none(error);
  }
}

/** Epoch milliseconds of the last change of an item or of its direct children; undefined when it does not exist. */
export function changedAt(target: string): number | undefined {
  const own = lstatSync(target, { throwIfNoEntry: false });
  if (own === undefined) return undefined;
  if (!own.isDirectory()) return own.mtimeMs;
  const inner = listNamesNow(target).map(
    (name) => lstatSync(path.join(target, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return inner.reduce((latest, at) => Math.max(latest, at), own.mtimeMs);
}

function none(error: unknown): string[] {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return [];
  throw error;
}
