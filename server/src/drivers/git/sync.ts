import { archivePath, verifyArchiveInBreaks, writeArchive } from '#server/drivers/archive/index';
import { isRelativePath } from '#shared/relative-path';
import { isGitRef } from '#shared/sources/git-address';
import { parseCommit } from './commit.ts';
import { GitError } from './git-error.ts';
import { mustRead, type ObjectReader, treeOfCommit } from './git-object.ts';
import type { GitSyncFolders, GitSyncRequest, GitSyncResult, KnownCommit, LeftOut } from './git-types.ts';
import { type FetchedObjects, openRepository, type WorkContext } from './repository.ts';
import { findManifest, manifestLines } from './repository-manifest.ts';
import { listSnapshot, type SnapshotFile, type TreeReader } from './snapshot.ts';

/** Maximum number of left-out paths in the log; the result holds all of them. */
const namedInLog = 50;

/** Verifies the archive of the known commit while the server responds. */
function checkKnown(known: KnownCommit | undefined, { archivesDir }: GitSyncFolders) {
  let isWanted = known !== undefined;
  const whole =
    known && verifyArchiveInBreaks(archivePath(archivesDir, known.archiveDigest), known.archiveDigest, () => !isWanted);
  // Handled here, because the result may never be awaited.
  whole?.catch(() => {});
  return {
    /** Reports whether this is the known commit, and all of it is still stored. */
    isHere: async (commit: string): Promise<boolean> => commit === known?.commit && (await whole) === true,
    stop: (): void => {
      isWanted = false;
    },
  };
}

/**
 * Fetches the commit that a ref names and archives a subtree of it. Returns null when it is the known commit. Throws
 * `GitError`, or the error of `context.check`.
 */
export async function syncSource(
  request: GitSyncRequest & { known?: KnownCommit | undefined },
  folders: GitSyncFolders,
  context: WorkContext,
): Promise<GitSyncResult | null> {
  if (!isGitRef(request.ref))
    throw new GitError('source_ref_not_found', 'The ref is not a valid name. Name a branch or tag.');
  if (!isRelativePath(request.path)) {
    throw new GitError('source_path_not_found', 'The source path must be . or a relative path with / between names.');
  }
  const repository = openRepository(request, context);
  const known = checkKnown(request.known, folders);
  try {
    const resolvedRef = await repository.resolve(request.ref);
    context.onLine(`${request.ref} is commit ${resolvedRef.commit}.`);
    if (await known.isHere(resolvedRef.commit)) {
      context.onLine('There is nothing new.');
      return null;
    }
    const archive = ({ objects }: FetchedObjects) =>
      archiveCommit({ objects, commit: resolvedRef.commit, request, folders, context });
    const fetched = await repository.objectsOf(resolvedRef, folders.repositoryDir);
    try {
      return archive(fetched);
    } catch (error) {
      // The stored pack may lack objects that a server once left out, so the repository itself is authoritative.
      if (fetched.isWhole || !(error instanceof GitError) || error.code !== 'source_fetch_refused') throw error;
      return archive(await repository.objectsOf(resolvedRef, folders.repositoryDir, true));
    }
  } finally {
    known.stop();
    repository.close();
  }
}

type Archiving = {
  objects: ObjectReader;
  commit: string;
  request: GitSyncRequest;
  folders: GitSyncFolders;
  context: WorkContext;
};

function archiveCommit({ objects, commit, request, folders, context }: Archiving): GitSyncResult {
  context.onUnpack();
  const trees: TreeReader = { objects, entriesRead: 0, check: context.check };
  const commitBytes = mustRead(objects, commit, 'commit');
  const root = treeOfCommit(commitBytes);
  const manifest = findManifest(trees, root);
  for (const line of manifestLines(manifest)) context.onLine(line);
  const { files, leftOut } = listSnapshot(trees, root, request.path, request.linkTargets);
  logLeftOut(leftOut, context.onLine);
  const entries = files.map((file) => toArchiveInput(file, objects, context.check));
  const archive = writeArchive({ dir: folders.archivesDir, entries });
  context.onLine(`Archived ${files.length} files, ${archive.sizeBytes} bytes.`);
  const text = parseCommit(commitBytes);
  return { resolvedCommit: commit, archive, fileCount: files.length, leftOut, manifest, commit: text };
}

/** Reads contents when the archive needs them, so that they are not all in memory at once. */
const toArchiveInput = (file: SnapshotFile, objects: ObjectReader, check: () => void) => ({
  path: file.path,
  executable: file.executable,
  bytes: (): Buffer => {
    check();
    return mustRead(objects, file.id, 'blob');
  },
});

const leftOutReasons = {
  symlink: 'a symbolic link',
  submodule: 'a submodule',
  name_not_utf8: 'its name is not UTF-8',
} as const satisfies Record<LeftOut['kind'], string>;

function logLeftOut(leftOut: readonly LeftOut[], onLine: (text: string) => void): void {
  for (const { path, kind } of leftOut.slice(0, namedInLog)) onLine(`Left out ${path}: ${leftOutReasons[kind]}.`);
  if (leftOut.length > namedInLog) onLine(`Left out ${leftOut.length - namedInLog} more paths.`);
}
