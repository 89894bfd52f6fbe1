import type { Git, GitAccess } from '#server/drivers/git/index';
import { GitError } from '#server/drivers/git/index';
import { isCommitId } from '#shared/sources/git-address';
import { bounds } from './bounds.ts';
import { asPackageError } from './git-failure.ts';
import { followLookup } from './lookup.ts';
import { type ArchiveAddress, type GitAddress, parseModuleAddress, type RemoteAddress } from './module-address.ts';
import { PackageError } from './package-error.ts';
import { createPackageHttp, type PackageHttp } from './package-http.ts';
import type { PackageCredentials, Resolved } from './package-types.ts';
import { locateModule, registryPeer } from './registry.ts';
import { joinSub } from './sub-folder.ts';

export type ResolveRequest = {
  /** Source of the module call. */
  address: string;
  /** Its `version`, if it has one. */
  constraint?: string | undefined;
  credentials?: PackageCredentials | undefined;
  signal?: AbortSignal | undefined;
};
export type ResolveContext = { git: Git; access: GitAccess; signal: AbortSignal };

/** Parts of a package that are known before its commit. */
type PinnedParts = Pick<Resolved, 'version' | 'root' | 'isPrivate'>;

/** Pins a remote module call to a commit or an archive. Throws `PackageError`, or the reason of the signal. */
export async function resolvePackage(request: ResolveRequest, context: ResolveContext): Promise<Resolved> {
  const address = parseModuleAddress(request.address);
  if (address.kind === 'refused') throw new PackageError(address.code, address.message);
  if (address.kind === 'local')
    throw new PackageError('address_invalid', 'The module address is a path, not a package.');
  const http = createPackageHttp(context.access, context.signal, registryPeer);
  try {
    if (address.kind !== 'registry') {
      if (request.constraint !== undefined) throw onlyForRegistries();
      return await pin(address, { root: '.', isPrivate: false }, { ...context, http, request });
    }
    const token = request.credentials?.registryTokens?.get(address.host);
    const location = await locateModule(http, { address, constraint: request.constraint, token });
    const { version, isPrivate } = location;
    if (location.kind === 'indirect') {
      return await pin(location.address, { version, root: '.', isPrivate }, { ...context, http, request });
    }
    const { url, sub, tokenHost } = location;
    const base = { url, shownUrl: shown(url), version, root: '.', sub, isPrivate };
    return { kind: 'archive', ...base, ...(tokenHost && { tokenHost }) };
  } finally {
    http.close();
  }
}

type Pinning = ResolveContext & { http: PackageHttp; request: ResolveRequest };

async function pin(address: RemoteAddress, found: PinnedParts, pinning: Pinning): Promise<Resolved> {
  let current = address;
  let { root } = found;
  for (let lookups = 0; current.kind === 'lookup'; lookups += 1) {
    if (lookups >= bounds.lookups) {
      throw new PackageError('package_not_found', 'The module address leads to other addresses in circles.');
    }
    const next = await followLookup(pinning.http, current);
    // The folder that an answer names is the package, so those of earlier answers and of the call are inside it.
    root = joinSub(next.sub, root);
    current = { ...next, sub: current.sub };
  }
  return current.kind === 'git'
    ? pinGit(current, { ...found, root }, pinning)
    : pinArchive(current, { ...found, root });
}

function pinArchive({ url, format, checksum, sub }: ArchiveAddress, found: PinnedParts): Resolved {
  const base = { url, shownUrl: shown(url), ...found, sub };
  return { kind: 'archive', ...base, ...(format && { format }), ...(checksum && { checksum }) };
}

async function pinGit(address: GitAddress, found: PinnedParts, pinning: Pinning): Promise<Resolved> {
  const credential = gitCredential(address.url, pinning.request.credentials);
  const isPrivate = found.isPrivate || credential !== undefined;
  const remote = { url: address.url, ...(credential && { credential }) };
  for (const ref of refsOf(address)) {
    try {
      const { commit, ref: name } = await pinning.git.resolveRef({ ...remote, ref }, pinning.signal);
      const base = { url: address.url, shownUrl: address.url, ...found, isPrivate, sub: address.sub };
      return { kind: 'git', ...base, commit, ref: name };
    } catch (error) {
      const isMissing = error instanceof GitError && error.code === 'source_ref_not_found';
      if (!isMissing) throw asPackageError(error);
    }
  }
  throw new PackageError('ref_not_found', missingRef(address.ref));
}

/**
 * Returns the names to try for a ref, in the order of the tool: it looks into a whole clone, where a tag wins over a
 * branch; with `depth` it clones the branch.
 */
function refsOf({ ref, isShallow }: GitAddress): string[] {
  if (ref === undefined || ref === 'HEAD') return ['HEAD'];
  if (isCommitId(ref)) return [ref];
  const [tag, branch] = [`refs/tags/${ref}`, `refs/heads/${ref}`];
  const names = isShallow ? [branch, tag] : [tag, branch];
  if (ref.startsWith('refs/')) names.push(ref);
  if (ref.startsWith('origin/')) names.push(`refs/heads/${ref.slice('origin/'.length)}`);
  return names;
}

function missingRef(ref: string | undefined): string {
  if (ref === undefined || ref === 'HEAD') return 'The repository of the module has no default branch. Add a ref.';
  return /^[0-9a-f]{7,}$/i.test(ref)
    ? 'The ref of the module is a shortened commit id. Write all of its digits.'
    : 'The repository of the module has no tag or branch of the name in its ref. Check the ref.';
}

/**
 * Returns the owner of a repository: its host, with the port unless that is 443, and the first part of its path. A hostile
 * package may name any repository that a token can read, so an account is used for one owner only.
 */
export function gitOwnerOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}/${pathname.split('/')[1]}`;
}

/** Returns the credential for the owner of a repository, if there is one. */
export function gitCredential(
  url: string,
  credentials: PackageCredentials | undefined,
): { username: string; password: string } | undefined {
  const account = credentials?.gitAccounts?.get(gitOwnerOf(url));
  return account && { username: account.username, password: account.password.reveal() };
}

const shown = (url: string): string => url.replace(/\?.*$/s, '');

const onlyForRegistries = (): PackageError =>
  new PackageError(
    'constraint_not_allowed',
    'The module call has a version, but only modules of a registry have versions. Remove it, or use ref.',
  );
