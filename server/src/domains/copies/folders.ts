import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { removeTreeInBreaks } from '#server/kernel/remove-tree';

/** Folders of the copies in the data folder. */
export type CopyFolders = {
  /** Bare repositories, named by `copyRepository`. */
  copies: string;
  /** One folder for each open revision, named by its id. */
  work: string;
  /** Cache of fetched packages. */
  packages: string;
};

export const copyFoldersOf = (dataDir: string): CopyFolders => ({
  copies: path.join(dataDir, 'copies'),
  work: path.join(dataDir, 'copy-work'),
  packages: path.join(dataDir, 'packages'),
});

const suffix = '.git';

/** Returns the repository of a copy. */
export const copyRepository = ({ copies }: Pick<CopyFolders, 'copies'>, copyId: string): string =>
  path.join(copies, `${copyId}${suffix}`);

/** Returns the id of the copy whose repository has this name; undefined for any other name. */
export const copyIdOfFolder = (name: string): string | undefined =>
  name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;

/** Returns the cache of the packages that were fetched with credentials of a Workspace. */
export const ownPackages = ({ packages }: Pick<CopyFolders, 'packages'>, workspaceId: string): string =>
  path.join(packages, workspaceId);

/** Returns the folder of an open revision. */
export const workFolder = ({ work }: Pick<CopyFolders, 'work'>, revisionId: string): string =>
  path.join(work, revisionId);

/** Returns the ids of the revisions that have a folder. */
export const listWork = ({ work }: Pick<CopyFolders, 'work'>): Promise<string[]> =>
  readdir(work).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });

export const removeWorkFolder = async (folders: Pick<CopyFolders, 'work'>, revisionId: string): Promise<void> =>
  void (await removeTreeInBreaks(workFolder(folders, revisionId), () => false));
