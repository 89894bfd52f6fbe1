import fs from 'node:fs';
import path from 'node:path';
import type { ObjectStorageAccount } from '#server/domains/connections/index';
import { writeWholeFile } from '#server/drivers/backup-archive/index';
import type { ObjectStore } from '#server/drivers/object-store/index';
import { AppError } from '#server/kernel/errors';
import { measureStream } from '#server/kernel/file-digest';
import type { BackupTarget } from '#shared/backup-schedules/contract';
import { keyBelow } from '#shared/connections/object-storage';

type Upload = { file: string; uploadId: string | null; onUpload: (id: string) => void; signal: AbortSignal };
/** One place for copies of backups. `name` is the name of a file or the last part of a key. */
export type TargetStore = {
  location(name: string): string;
  put(name: string, upload: Upload): Promise<void>;
  /** Reads a copy back. Resolves to undefined when it is not there. */
  read(name: string, signal: AbortSignal): Promise<{ digest: string; sizeBytes: number } | undefined>;
  delete(name: string, signal: AbortSignal): Promise<void>;
  /** Deletes the parts of an upload that will not be continued. */
  abort(name: string, uploadId: string): Promise<void>;
  /** Returns the names that start so. */
  list(start: string, signal: AbortSignal): Promise<string[]>;
};

/** Rules for folders that owners name. */
export type FolderRules = {
  /** Folders of the operator below which copies may be stored. */
  folders: readonly string[];
  /** Data folder, in which no copy may be stored. */
  dataDir: string;
};

export type TargetPorts = FolderRules & {
  findAccount: (connectionId: string) => ObjectStorageAccount | undefined;
  openStore: (account: ObjectStorageAccount) => ObjectStore;
};

const unavailable = (message: string) => new AppError('feature_unavailable', message);

/** Refusal of a target in the data folder: a copy is lost with it, and what no backup names is deleted there. */
export const insideDataFolder = 'The folder is in the data folder of the server. Choose one on another disk.';

/** Reports whether a path without links is a folder or in it. Links of the folder are followed. */
export function isInFolder(folder: string, real: string): boolean {
  const inside = path.relative(realPath(folder) ?? folder, real);
  return inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
}

/** Returns the reason why a folder may not be a target. Links are followed before it is judged. */
export function findFolderRefusal(folder: string, { folders, dataDir }: FolderRules): string | undefined {
  if (folders.length === 0) return 'No folder may be used yet. Set GROUNDCTL_BACKUP_FOLDERS, and restart.';
  if (!path.isAbsolute(folder)) return 'The folder must be an absolute path on the disk of the server.';
  const real = realPath(folder);
  if (real === undefined) return 'The folder does not exist on the disk of the server. Create it first.';
  if (isInFolder(dataDir, real)) return insideDataFolder;
  return folders.some((root) => isInFolder(root, real))
    ? undefined
    : 'Copies may be stored only below the folders that the operator named in GROUNDCTL_BACKUP_FOLDERS.';
}

function realPath(folder: string): string | undefined {
  try {
    return fs.statSync(folder).isDirectory() ? fs.realpathSync(folder) : undefined;
  } catch {
    return undefined;
  }
}

/** Opens the target of a schedule. Throws 503 `feature_unavailable` with a sentence when it cannot be used now. */
export function openTarget(target: BackupTarget, ports: TargetPorts): TargetStore {
  if (target.kind === 'folder') {
    const refusal = findFolderRefusal(target.path, ports);
    if (refusal) throw unavailable(refusal);
    return folderStore(target.path);
  }
  const account = ports.findAccount(target.connectionId);
  if (!account) throw unavailable('The Connection of the schedule was revoked or has expired. Choose another target.');
  return bucketStore(ports.openStore(account), account);
}

export const folderStore = (folder: string): TargetStore => {
  const fileOf = (name: string) => path.join(folder, name);
  return {
    location: fileOf,
    async put(name, { file, signal }) {
      await writeWholeFile(fileOf(name), () => fs.createReadStream(file, { signal }));
    },
    read: async (name, signal) =>
      fs.existsSync(fileOf(name)) ? measureStream(fs.createReadStream(fileOf(name), { signal })) : undefined,
    delete: async (name) => fs.rmSync(fileOf(name), { force: true }),
    abort: async () => {},
    list: async (start) => fs.readdirSync(folder).filter((name) => name.startsWith(start)),
  };
};

export const bucketStore = (
  store: ObjectStore,
  { bucket, prefix }: Pick<ObjectStorageAccount, 'bucket' | 'prefix'>,
): TargetStore => {
  const keyOf = (name: string) => keyBelow(prefix, name);
  return {
    location: (name) => `s3://${bucket}/${keyOf(name)}`,
    put: (name, { file, uploadId, onUpload, signal }) =>
      store.putFile({ key: keyOf(name), file, uploadId: uploadId ?? undefined, onUpload, signal }),
    async read(name, signal) {
      const object = await store.openRead(keyOf(name), { signal });
      return object && measureStream(object.body);
    },
    delete: (name, signal) => store.delete(keyOf(name), { signal }),
    abort: (name, uploadId) => store.abortUpload(keyOf(name), uploadId),
    async list(start, signal) {
      const names: string[] = [];
      for await (const { key } of store.list(keyOf(start), { signal })) names.push(key.slice(keyOf('').length));
      return names;
    },
  };
};
