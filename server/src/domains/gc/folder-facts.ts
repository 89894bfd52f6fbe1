import { lstatSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Names in a folder, in order; none when it is not there. */
export async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(none)).sort();
}

/** The same at once, for what is judged and taken in one turn. */
export function listNamesNow(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    return none(error);
  }
}

/** Epoch milliseconds of the last change of a thing or of what lies directly in it; undefined when it is not there. */
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
