import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Id of the process's user, because a user of a container may have no entry in the system's user list. */
const ownUser = (): number => process.geteuid?.() ?? -1;
const ownFolder = (): string => `/dev/shm/groundctl-${ownUser()}`;
const nameOf = (capsuleDir: string): string => createHash('sha256').update(capsuleDir).digest('hex').slice(0, 24);

/**
 * Returns one folder in memory per Capsule, if the system has one, so that cleartext never reaches a disk. The parent
 * must belong to us alone, because others can write to its location.
 */
export function memoryFolder(capsuleDir: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const own = ownFolder();
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    return isOurs(own) && (lstatSync(own).mode & 0o077) === 0 ? path.join(own, nameOf(capsuleDir)) : undefined;
  } catch {
    return undefined;
  }
}

function isOurs(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === ownUser();
}

/**
 * Returns the folder for the sockets of a Run: a socket path has at most 107 bytes (unix(7)), and a data folder may be
 * deep.
 */
export const socketFolder = (capsuleDir: string): string =>
  `${memoryFolder(capsuleDir) ?? path.join(tmpdir(), `groundctl-${ownUser()}-${nameOf(capsuleDir)}`)}-sockets`;

const purpose = 'credentials';

/**
 * Returns the folder for a Run's credential files when the tool has no sandbox. It is the same in every Run of a
 * Capsule, and is in memory, or in the Capsule's own folder when no memory file system is available.
 */
export function credentialFolder(capsuleDir: string): string {
  const memory = memoryFolder(capsuleDir);
  return memory === undefined ? path.join(capsuleDir, purpose) : `${memory}-${purpose}`;
}

/**
 * Returns every possible path of that folder: a module without a sandbox may have changed the conditions that chose
 * between them.
 */
export function credentialFolders(capsuleDir: string): string[] {
  const inMemory = process.platform === 'linux' && isOurs(ownFolder());
  return [
    ...(inMemory ? [`${path.join(ownFolder(), nameOf(capsuleDir))}-${purpose}`] : []),
    path.join(capsuleDir, purpose),
  ];
}
