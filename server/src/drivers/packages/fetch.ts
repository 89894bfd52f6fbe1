import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { archivePath } from '#server/drivers/archive/index';
import type { Git, GitAccess } from '#server/drivers/git/index';
import { makeFolder } from '#server/kernel/disk';
import { removeTreeInBreaks } from '#server/kernel/remove-tree';
import { limits as fixed } from '#shared/limits';
import { download } from './download.ts';
import { asPackageError } from './git-failure.ts';
import type { InspectedPackage, InspectRequest } from './inspect-package.ts';
import { archivesOf, dropPackage, findPackage, recordPackage, type StoredPackage } from './package-cache.ts';
import { PackageError, refused } from './package-error.ts';
import type { FetchedPackage, PackageCredentials, PackageLimits, Resolved, ResolvedGit } from './package-types.ts';
import { gitCredential } from './resolve.ts';
import type { Unpacked, UnpackRequest } from './unpack.ts';

/**
 * Folders of a fetch. `shared` keeps packages that were fetched without a credential, `own` the others of a Workspace.
 * In `work` a folder exists during the fetch. All are private and created when missing.
 */
export type PackageFolders = { shared: string; own: string; work: string };
export type FetchOptions = {
  folders: PackageFolders;
  credentials?: PackageCredentials | undefined;
  /** Lower limits than the fixed ones, such as what is left for further packages. */
  limits?: Partial<PackageLimits> | undefined;
  signal?: AbortSignal | undefined;
};
/** Work in the thread that unpacks. */
export type Unpacker = {
  unpack: (request: UnpackRequest) => Promise<Unpacked>;
  inspect: (request: InspectRequest) => Promise<InspectedPackage>;
};
export type FetchContext = { git: Git; access: GitAccess; unpacker: Unpacker; signal: AbortSignal };

/** Stores the files of a pinned package, or finds them in a cache. Throws `PackageError`, or the reason of the signal. */
export async function fetchPackage(
  resolved: Resolved,
  options: FetchOptions,
  context: FetchContext,
): Promise<FetchedPackage> {
  const limits = {
    sizeBytes: Math.min(options.limits?.sizeBytes ?? fixed.archiveBytes, fixed.archiveBytes),
    files: Math.min(options.limits?.files ?? fixed.archiveFiles, fixed.archiveFiles),
  };
  const fetching = { resolved, options, context, limits };
  try {
    for (const cache of [options.folders.shared, options.folders.own]) {
      const fetched = await readStored(fetching, cache);
      if (fetched) return fetched;
    }
    const cache = resolved.isPrivate ? options.folders.own : options.folders.shared;
    const stored = await fetchNew(fetching, cache);
    recordPackage(cache, resolved, stored);
    return await inspectStored(fetching, cache, stored);
  } catch (error) {
    throw asPackageError(error);
  }
}

type Fetching = { resolved: Resolved; options: FetchOptions; context: FetchContext; limits: PackageLimits };

/** Takes a package from a cache. A damaged one is dropped, and fetched again by the caller. */
async function readStored(fetching: Fetching, cache: string): Promise<FetchedPackage | undefined> {
  const stored = findPackage(cache, fetching.resolved);
  if (!stored) return undefined;
  try {
    return await inspectStored(fetching, cache, stored);
  } catch (error) {
    if (!(error instanceof PackageError) || error.code !== 'package_changed') throw error;
    dropPackage(cache, fetching.resolved);
    return undefined;
  }
}

async function inspectStored(
  { resolved, context, limits }: Fetching,
  cache: string,
  stored: StoredPackage,
): Promise<FetchedPackage> {
  const archive = archivePath(archivesOf(cache), stored.digest);
  context.signal.throwIfAborted();
  const { digest, leftOut } = stored;
  const isGit = resolved.kind === 'git';
  const request = { archive, digest, leftOut, sub: resolved.sub, isGit, limits };
  const inspected = await context.unpacker.inspect(request);
  context.signal.throwIfAborted();
  return { ...stored, ...inspected, archive };
}

async function fetchNew(fetching: Fetching, cache: string): Promise<StoredPackage> {
  const work = path.join(fetching.options.folders.work, randomUUID());
  makeFolder(work);
  try {
    return fetching.resolved.kind === 'git'
      ? await fetchGit(fetching.resolved, fetching, { cache, work })
      : await fetchArchive(fetching, { cache, work });
  } finally {
    await removeTreeInBreaks(work, () => false);
  }
}

type Places = { cache: string; work: string };

async function fetchGit(resolved: ResolvedGit, { options, context }: Fetching, { cache, work }: Places) {
  // A package that was resolved without a credential goes to the shared cache, so it is fetched without one.
  const credential = resolved.isPrivate ? gitCredential(resolved.url, options.credentials) : undefined;
  const { archive, leftOut } = await context.git.sync(
    {
      url: resolved.url,
      ref: resolved.commit,
      path: resolved.root,
      linkTargets: true,
      ...(credential && { credential }),
    },
    { repositoryDir: path.join(work, 'repository'), archivesDir: archivesOf(cache), signal: context.signal },
  );
  const submodule = leftOut.find(({ kind }) => kind === 'submodule');
  if (submodule) {
    throw refused(`The module has a Git submodule at "${submodule.path}", which is not supported.`);
  }
  return {
    digest: archive.digest,
    sizeBytes: archive.sizeBytes,
    leftOut: leftOut.flatMap(({ kind, ...entry }) => (kind === 'submodule' ? [] : [{ kind, ...entry }])),
  };
}

async function fetchArchive({ resolved, options, context, limits }: Fetching, { cache, work }: Places) {
  if (resolved.kind !== 'archive') throw refused('The package is not an archive.');
  const credentials = resolved.isPrivate ? options.credentials : undefined;
  const file = path.join(work, 'download');
  await download({ resolved, file, credentials, access: context.access, signal: context.signal });
  const staging = path.join(work, 'files');
  fs.mkdirSync(staging, { mode: 0o700 });
  const { format, root } = resolved;
  return context.unpacker.unpack({ file, format, root, staging, archives: archivesOf(cache), limits });
}
