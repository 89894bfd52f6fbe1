import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Asked of the process: a user of a container may have no name, and then the system knows nothing of it by that. */
const ownUser = (): number => process.geteuid?.() ?? -1;
const ownFolder = (): string => `/dev/shm/groundctl-${ownUser()}`;
const nameOf = (capsuleDir: string): string => createHash('sha256').update(capsuleDir).digest('hex').slice(0, 24);

/**
 * One folder in memory per Capsule, where the system has one, so that clear text never reaches a disk. The parent must
 * be ours alone: others can write where it stands.
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

/** Where the sockets of a Run lie: the path of one takes at most 107 bytes (unix(7)), and a data folder may be deep. */
export const socketFolder = (capsuleDir: string): string =>
  `${memoryFolder(capsuleDir) ?? path.join(tmpdir(), `groundctl-${ownUser()}-${nameOf(capsuleDir)}`)}-sockets`;

const purpose = 'credentials';

/**
 * Where the files of a Run's credentials lie for a tool without a sandbox: the same in every Run of a Capsule, in memory,
 * or in the Capsule's own folder where there is none.
 */
export function credentialFolder(capsuleDir: string): string {
  const memory = memoryFolder(capsuleDir);
  return memory === undefined ? path.join(capsuleDir, purpose) : `${memory}-${purpose}`;
}

/** Every place where that folder can be: a module without a sandbox may have changed what chose between them. */
export function credentialFolders(capsuleDir: string): string[] {
  const inMemory = process.platform === 'linux' && isOurs(ownFolder());
  return [
    ...(inMemory ? [`${path.join(ownFolder(), nameOf(capsuleDir))}-${purpose}`] : []),
    path.join(capsuleDir, purpose),
  ];
}
