import path from 'node:path';
import { ArchiveError } from './archive-error.ts';

const digestPattern = /^sha256:([0-9a-f]{64})$/;

/**
 * Returns the path of an archive below its folder: `<dir>/<2 hex>/<64 hex>.tar`. Throws when the text is not a digest.
 */
export function archivePath(dir: string, digest: string): string {
  const hex = digestPattern.exec(digest)?.[1];
  if (!hex) throw new ArchiveError('archive_missing', 'An archive is named by sha256: and 64 hex digits.');
  return path.join(dir, hex.slice(0, 2), `${hex}.tar`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a NUL ends a path early, a backslash divides one on Windows
const hostile = /[\u0000\\]/;

/** Throws `archive_path_refused` unless joining the path to a folder stays inside that folder on every platform. */
export function assertInnerPath(name: string): void {
  const parts = name.split('/');
  const climbs = parts.some((part) => part === '' || part === '.' || part === '..');
  if (climbs || hostile.test(name) || !name.isWellFormed()) {
    throw new ArchiveError(
      'archive_path_refused',
      'The archive holds a path that leaves its folder, so it is not used.',
    );
  }
}
