import fs from 'node:fs';
import path from 'node:path';
import { archivePath } from '#server/drivers/archive/index';
import { jsonDigest, sha256Hex } from '#server/kernel/digest';
import { makeFolder, writeAtomically } from '#server/kernel/disk';
import type { LeftOutEntry, Resolved } from './package-types.ts';

/** Stored package: the tar of its files in the folder of archives, and a record of what is known beside it. */
export type StoredPackage = { digest: string; sizeBytes: number; leftOut: LeftOutEntry[] };

/** Returns the name of the record, or undefined when the address may lead to other bytes at any time. */
function recordName(resolved: Resolved): string | undefined {
  const { kind, url, root } = resolved;
  if (kind === 'git') return sha256Hex(jsonDigest([kind, url, root, resolved.commit]));
  const { checksum, format } = resolved;
  return checksum && sha256Hex(jsonDigest([kind, url, root, format ?? null, checksum]));
}

/** Returns the folder of archives of a cache. */
export const archivesOf = (cache: string): string => path.join(cache, 'archives');

const recordFile = (cache: string, name: string): string => path.join(cache, 'records', `${name}.json`);

/** Finds a package whose bytes its address pins. A record whose archive was deleted is ignored. */
export function findPackage(cache: string, resolved: Resolved): StoredPackage | undefined {
  const name = recordName(resolved);
  const file = name && recordFile(cache, name);
  if (!file || !fs.existsSync(file)) return undefined;
  try {
    const stored = JSON.parse(fs.readFileSync(file, 'utf8')) as StoredPackage;
    return fs.existsSync(archivePath(archivesOf(cache), stored.digest)) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Records a package whose archive is stored in this cache. */
export function recordPackage(cache: string, resolved: Resolved, stored: StoredPackage): void {
  const name = recordName(resolved);
  if (!name) return;
  const file = recordFile(cache, name);
  makeFolder(path.dirname(file));
  writeAtomically(file, JSON.stringify(stored));
}

/** Forgets a package whose archive is damaged, so that it is fetched again. */
export function dropPackage(cache: string, resolved: Resolved): void {
  const name = recordName(resolved);
  if (name) fs.rmSync(recordFile(cache, name), { force: true });
}
