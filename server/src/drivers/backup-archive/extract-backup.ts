import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, syncFolders } from '#server/kernel/disk';
import { removeTree } from '#server/kernel/remove-tree';
import { backupLimits } from '#shared/limits';
import { type BackupManifest, type BackupMember, tooLarge } from './backup-manifest.ts';
import { type ReadBackup, readBackupArchive } from './read-backup.ts';

export type ExtractBackup = Omit<ReadBackup, 'onMember'> & {
  /** Folder for the members; it does not exist yet. */
  stagingDir: string;
  /** Receivers of members that are secret in clear, by path: these are held in memory and never written. */
  unwritten?: ReadonlyMap<string, (bytes: Buffer) => void>;
};

type Writing = { content: AsyncIterable<Uint8Array>; folders: Set<string> };

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
const createNew = O_CREAT | O_EXCL | O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/**
 * Writes the members below a new folder, mode 0600 or 0700, and returns the manifest when every digest was checked and
 * every file is durable. Nothing is written elsewhere. On failure the folder is removed again; a killed call leaves it,
 * and the caller removes it before the next one. Throws `BackupError`, or the file system's error.
 */
export async function extractBackupArchive(request: ExtractBackup): Promise<BackupManifest> {
  const { stagingDir, unwritten = new Map(), ...reading } = request;
  makeFolder(path.dirname(stagingDir));
  await mkdir(stagingDir, { mode: 0o700 });
  const folders = new Set([stagingDir]);
  try {
    const manifest = await readBackupArchive({
      ...reading,
      onMember: async (member, content) => {
        const receive = unwritten.get(member.path);
        if (receive) receive(await readWhole(member, content));
        else await writeMember(stagingDir, member, { content, folders });
      },
    });
    const written = manifest.members.filter((member) => !unwritten.has(member.path));
    await syncAll(stagingDir, written);
    await syncFolders([...folders, path.dirname(stagingDir)]);
    return manifest;
  } catch (error) {
    removeTree(stagingDir);
    throw error;
  }
}

async function readWhole({ sizeBytes }: BackupMember, content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (sizeBytes > backupLimits.unwrittenBytes) throw tooLarge();
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces, sizeBytes);
}

async function writeMember(root: string, member: BackupMember, { content, folders }: Writing): Promise<void> {
  const file = path.join(root, member.path);
  await ensureFolder(path.dirname(file), folders);
  const handle = await open(file, createNew, member.executable ? 0o700 : 0o600);
  try {
    for await (const piece of content) await handle.appendFile(piece);
  } finally {
    await handle.close();
  }
}

/** Creates each missing folder down to this one. Nothing else writes below the staging folder, so none is a link. */
async function ensureFolder(folder: string, known: Set<string>): Promise<void> {
  if (known.has(folder)) return;
  await ensureFolder(path.dirname(folder), known);
  await mkdir(folder, { mode: 0o700 });
  known.add(folder);
}

const concurrentSyncs = 32;

/** Syncs the files together at the end: the file system then writes many of them at once. */
async function syncAll(root: string, members: readonly BackupMember[]): Promise<void> {
  const pending = members[Symbol.iterator]();
  const work = async () => {
    for (const member of pending) {
      const handle = await open(path.join(root, member.path), 'r+');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  };
  await Promise.all(Array.from({ length: concurrentSyncs }, work));
}
