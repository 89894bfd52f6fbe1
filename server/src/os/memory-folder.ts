import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { isImplemented } from '#server/kernel/platforms';
import { RunnerError } from './runner-error.ts';

/** Id of the process's user, because a user of a container may have no entry in the system's user list. */
const ownUser = (): number => process.geteuid?.() ?? -1;
const ownFolderIn = (parent: string): string => path.join(parent, `groundctl-${ownUser()}`);
const nameOf = (capsuleDir: string): string => createHash('sha256').update(capsuleDir).digest('hex').slice(0, 24);

const memory = '/dev/shm';
const ownFolder = (): string => ownFolderIn(memory);

/**
 * Returns one folder in memory per Capsule, if the system has one, so that cleartext never reaches a disk. The parent
 * must belong to us alone, because others can write to its location.
 */
export const memoryFolder = (capsuleDir: string, platform: NodeJS.Platform = process.platform): string | undefined =>
  isImplemented('memoryFolder', platform) ? folderIn(memory, capsuleDir) : undefined;

function folderIn(parent: string, capsuleDir: string): string | undefined {
  const own = ownFolderIn(parent);
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

type Where = { platform?: NodeJS.Platform; temporary?: string };

/**
 * Returns the start of the paths of a Capsule's sockets, in memory or in `/tmp`: a data folder may be too deep for the
 * path of a socket, and so may the `TMPDIR` of macOS. Undefined when another account owns our folder there.
 */
export const findShortFolder = (
  capsuleDir: string,
  { platform = process.platform, temporary = '/tmp' }: Where = {},
): string | undefined => memoryFolder(capsuleDir, platform) ?? folderIn(temporary, capsuleDir);

/** Returns the folder for the sockets of a Run. Throws `program_failed` when another account owns its parent. */
export const socketFolder = (capsuleDir: string): string => `${requireShortFolder(capsuleDir)}-sockets`;

function requireShortFolder(capsuleDir: string, where?: Where): string {
  const folder = findShortFolder(capsuleDir, where);
  if (folder !== undefined) return folder;
  throw new RunnerError(
    'program_failed',
    `The folder ${ownFolderIn('/tmp')} is not private to this account. Check what is in it, and remove it.`,
  );
}

/** Most bytes that the path of a socket may have: the size of `sun_path` without its end (unix(7), unix(4) of BSD). */
const socketPathBytes: Readonly<Partial<Record<NodeJS.Platform, number>>> = { linux: 107, darwin: 103 };
/** Name of the socket of a provider, which go-plugin creates in TMPDIR: at its longest. */
const providerSocket = 'plugin4294967295';

/**
 * Returns TMPDIR of a tool without a sandbox: in the folder of the Capsule, or a shorter one when a provider could not
 * create its socket there. The same in every Run of a Capsule.
 */
export function bareTmpFolder(capsuleDir: string, where: Where = {}): string {
  const inCapsule = path.join(capsuleDir, 'tmp');
  const longest = socketPathBytes[where.platform ?? process.platform] ?? 0;
  if (Buffer.byteLength(path.join(inCapsule, providerSocket)) <= longest) return inCapsule;
  return `${requireShortFolder(capsuleDir, where)}-tmp`;
}

/** Returns the folders of a Capsule outside of its own one that an ended Run may have left. */
export function shortFolders(capsuleDir: string): string[] {
  const folder = findShortFolder(capsuleDir);
  return folder === undefined ? [] : [`${folder}-sockets`, `${folder}-tmp`];
}

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
  const inMemory = isImplemented('memoryFolder') && isOurs(ownFolder());
  return [
    ...(inMemory ? [`${path.join(ownFolder(), nameOf(capsuleDir))}-${purpose}`] : []),
    path.join(capsuleDir, purpose),
  ];
}
