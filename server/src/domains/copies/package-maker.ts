import path from 'node:path';
import { type Git, type GitCredential, GitError, type GitSyncResult } from '#server/drivers/git/index';
import {
  type LeftOutPath,
  type LeftOutReason,
  ModuleCallError,
  type ModuleCalls,
  type WrittenCopy,
} from '#server/drivers/module-calls/index';
import {
  gitOwnerOf,
  type PackageCredentials,
  PackageError,
  type Packages,
  parseModuleAddress,
} from '#server/drivers/packages/index';
import type { ToolName } from '#server/drivers/scan/index';
import { Secret } from '#server/kernel/secret';
import type { CopiedPackage, UpstreamCheck } from '#shared/copies/contract';
import { ownPackages } from './folders.ts';
import { type CopyContent, CopyError, type CopyMaker, type MakeRequest } from './maker.ts';
import {
  type CollectedPackage,
  type Collection,
  callKey,
  collectPackages,
  shownAddress,
} from './package-collection.ts';
import { contentNameOf } from './review.ts';
import { fetchUpstream, findEntries } from './upstream.ts';
import { preparedRepository } from './work.ts';

type Deps = {
  git: Pick<Git, 'sync' | 'resolveRef' | 'listFiles'>;
  packages: Packages;
  moduleCalls: ModuleCalls;
  /** Folder of the package cache. */
  cacheDir: string;
  findTool: () => Promise<{ name: ToolName }>;
  /** User name and token of a Connection; undefined when it can no longer provide them. */
  findGitCredential: (connectionId: string) => GitCredential | undefined;
  listModuleRegistries: (workspaceId: string) => readonly { host: string; token: Secret }[];
};
type Access = { credential: GitCredential | undefined; credentials: PackageCredentials };

/** Makes copies with the drivers of Git, packages and module calls. */
export function createCopyMaker(deps: Deps): CopyMaker {
  return {
    make: (request) => named(() => makeCopy(deps, request)),
    check: (request) => named(() => checkUpstream(deps, request)),
  };
}

/** Turns the errors of the drivers into `CopyError`. */
async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GitError || error instanceof PackageError) throw new CopyError(error.code, error.message);
    if (error instanceof ModuleCallError) throw new CopyError(error.code, error.message);
    throw error;
  }
}

/** Returns the credentials of a Workspace. That of the repository is also used for packages of its owner. */
function openAccess(deps: Deps, workspaceId: string, { url, connectionId }: MakeRequest['upstream']): Access {
  const credential = connectionId === undefined ? undefined : deps.findGitCredential(connectionId);
  if (connectionId !== undefined && !credential)
    throw new CopyError(
      'source_auth_failed',
      'The Connection of the repository is revoked or has expired. Give its Source another one and create the copy again.',
    );
  const registries = deps.listModuleRegistries(workspaceId);
  const account = credential && { username: credential.username, password: new Secret(credential.password) };
  return {
    credential,
    credentials: {
      registryTokens: new Map(registries.map(({ host, token }) => [host, token])),
      ...(account && { gitAccounts: new Map([[gitOwnerOf(url), account]]) }),
    },
  };
}

async function makeCopy(deps: Deps, request: MakeRequest): Promise<CopyContent> {
  const { workspaceId, folder, modulePath, parent } = request;
  const { credential, credentials } = openAccess(deps, workspaceId, request.upstream);
  const { name: toolName } = await deps.findTool();
  const upstream = await fetchUpstream(deps.git, request, credential);
  const root = {
    archivePath: upstream.archive.path,
    archiveDigest: upstream.archive.digest,
    leftOut: upstream.leftOut,
  };
  const entries = await findEntries(upstream, { modulePath, toolName });
  const folders = {
    shared: path.join(deps.cacheDir, 'shared'),
    own: ownPackages({ packages: deps.cacheDir }, workspaceId),
    work: path.join(folder, 'fetching'),
  };
  const collection = await collectPackages(deps, { ...request, toolName, root, entries, credentials, folders });
  if (collection.packages.size === 0 && modulePath === undefined && parent === undefined)
    throw new CopyError('copy_not_needed', 'No module calls a module elsewhere. Install from the repository itself.');
  request.signal.throwIfAborted();
  const repository = path.join(folder, preparedRepository);
  const written = await deps.moduleCalls.writeCopy({
    toolName,
    root,
    entries,
    packages: [...collection.packages.values()].map(({ input }) => input),
    resolutions: collection.resolutions,
    repository,
    commit: { ...commitOf(request, upstream), ...(parent !== undefined && { parent }) },
  });
  const files = new Map(await deps.git.listFiles({ folder: repository, ref: 'main' }, request.signal));
  return { repository, files, ...contentOf(upstream, collection, written) };
}

/** Texts of a commit that depend on the upstream commit only. */
function commitOf({ upstream: { url } }: MakeRequest, { resolvedCommit, commit }: GitSyncResult) {
  const person = { name: 'Ground Control', email: 'copies@localhost', at: new Date(commit.committedAt) };
  const message = `Copy ${url}\n\nCommit ${resolvedCommit}, with the modules that it calls elsewhere.`;
  return { message, author: person, committer: person };
}

function contentOf(upstream: GitSyncResult, collection: Collection, written: WrittenCopy) {
  const { packagePaths } = written;
  const pathOf = (key: string | undefined, file: string): string =>
    key === undefined ? file : path.posix.join(packagePaths.get(key) ?? '', file);
  const programsOf = (key: string | undefined, { programs }: Collection['root']) =>
    programs.map(({ program, file }) => ({ type: program, path: pathOf(key, file) }));
  const reached = [...collection.packages].filter(([key]) => packagePaths.has(key));
  const packages = reached.map(([key, one]) =>
    packageOf(one, pathOf(key, '.'), programsOf(key, one.explored as Collection['root'])),
  );
  const resolutions = new Map(collection.resolutions.map((resolution) => [callKey(resolution), resolution]));
  return {
    upstreamCommit: upstream.resolvedCommit,
    commit: written.commit,
    packages: packages.sort((left, right) => (left.path < right.path ? -1 : 1)),
    calls: collection.calls.map(({ from, file, line, name, source, version }) => {
      const resolution = resolutions.get(callKey({ source, version }));
      return {
        path: pathOf(from, file),
        line,
        name,
        address: shownAddress(source),
        ...(version !== undefined && { constraint: version }),
        target: pathOf(resolution?.package, resolution?.sub ?? '.'),
      };
    }),
    leftOut: written.leftOut.map(({ package: key, path: file, reason }: LeftOutPath) => ({
      path: pathOf(key, file),
      reason: leftOutReasons[reason],
    })),
    programs: [...programsOf(undefined, collection.root), ...packages.flatMap(({ programs }) => programs)],
    sizeBytes: written.sizeBytes,
  };
}

function packageOf(one: CollectedPackage, folder: string, programs: CopiedPackage['programs']): CopiedPackage {
  const { kind, address, constraint, input, sizeBytes, explored } = one;
  const { url, version, commit, files } = input;
  return {
    kind,
    address,
    ...(constraint !== undefined && { constraint }),
    ...(version !== undefined && { version }),
    url,
    ...(commit !== undefined && { commit }),
    digest: files.archiveDigest,
    sizeBytes,
    path: folder,
    ...(explored?.license !== undefined && { licensePath: explored.license }),
    programs,
  };
}

const leftOutReasons: Readonly<Record<LeftOutReason, string>> = {
  not_called: 'No copied module calls this folder.',
  lock_file: 'The copy gets a lock file of its own with the first plan.',
  variables_file: 'Variable files are not read. Values are set for each installation.',
  test_file: 'Tests are not installed.',
  forbidden_name: 'A file of this name could change the tool.',
  not_a_file: 'It is a link that leads outside, or not a regular file.',
};

async function checkUpstream(deps: Deps, request: Parameters<CopyMaker['check']>[0]): Promise<UpstreamCheck> {
  const { upstream, upstreamCommit, signal } = request;
  const { credential, credentials } = openAccess(deps, request.workspaceId, upstream);
  const { url, ref } = upstream;
  const { commit } = await deps.git.resolveRef({ url, ref, ...(credential && { credential }) }, signal);
  const changed = new Map<string, UpstreamCheck['packages'][number]>();
  for (const { address, constraint, copied } of checkedCalls(request)) {
    const now = await deps.packages.resolve({ address, constraint, credentials, signal });
    const isSameCommit = now.kind === 'git' && now.commit === copied.commit;
    const [from, to] = [contentNameOf(copied), now.version ?? (now.kind === 'git' ? now.commit : undefined)];
    if (to !== undefined && to !== from && !isSameCommit)
      changed.set(JSON.stringify([address, from, to]), { address, from, to });
  }
  const packages = [...changed.values()];
  return { hasChanged: commit !== upstreamCommit || packages.length > 0, upstreamCommit: commit, packages };
}

type CheckedCall = { address: string; constraint: string | undefined; copied: CopiedPackage };

/**
 * Returns each address and constraint that calls name, with the package that the copy has for it. One package may have
 * several, of which only some allow a newer version.
 */
function checkedCalls({ packages, calls }: Parameters<CopyMaker['check']>[0]): CheckedCall[] {
  const checked = new Map<string, CheckedCall>();
  for (const { address, constraint, target } of calls) {
    const copied = packages.find(({ path: folder }) => target === folder || target.startsWith(`${folder}/`));
    // The bytes behind the address of an archive are known only after a download.
    if (!copied || (copied.kind === 'archive' && parseModuleAddress(address).kind !== 'registry')) continue;
    checked.set(JSON.stringify([address, constraint, copied.path]), { address, constraint, copied });
  }
  return [...checked.values()];
}
