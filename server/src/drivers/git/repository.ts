import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyIdOf } from '#shared/sources/copy-address';
import { isCommitId, isGitRef, parseGitUrl } from '#shared/sources/git-address';
import { damaged, GitError, refused } from './git-error.ts';
import { formatOf, type ObjectReader, peelToCommit } from './git-object.ts';
import type { GitAccess, GitRemoteRequest, GitTag, ResolvedRef } from './git-types.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { openLocalRepository } from './local-repository.ts';
import { readPack } from './pack.ts';
import { emptyRepository, type ListedRef, namesOf, unknownCommit, unknownRef } from './ref-list.ts';
import { discover, type Remote } from './remote-discovery.ts';
import { fetchPack } from './remote-fetch.ts';
import { listRefs } from './remote-refs.ts';
import { dropPack, loadBase, loadPack, type StoredPack, savePack } from './stored-pack.ts';
import { joinPacks } from './thin-pack.ts';

/**
 * Context of one piece of Git work. `check` throws when the work must stop; `onLine` receives progress for a person.
 */
export type WorkContext = {
  access: GitAccess;
  signal: AbortSignal;
  check: () => void;
  onLine: (text: string) => void;
  /** Called when the commit is fetched and its files are about to be archived. */
  onUnpack: () => void;
};

/** A ref with the object to request from a server: the tag object of an annotated tag. */
type WantedRef = ResolvedRef & { want: string };

/** `isWhole` is true when all objects come from the repository itself, so a missing one is missing there. */
export type FetchedObjects = { objects: ObjectReader; isWhole: boolean };

/** One repository, local or remote. */
export type Repository = {
  resolve: (ref: string) => Promise<WantedRef>;
  tags: () => Promise<GitTag[]>;
  /** Returns the objects of a resolved commit, verified to contain it; `isFresh` ignores stored packs. */
  objectsOf: (ref: WantedRef, repositoryDir: string, isFresh?: boolean) => Promise<FetchedObjects>;
  close: () => void;
};

/** Opens a repository by its URL; a server is contacted when it is first needed. Throws `GitError`. */
export function openRepository(request: GitRemoteRequest, context: WorkContext): Repository {
  const copyId = copyIdOf(request.url);
  if (copyId !== undefined) return openFolder(copyFolder(copyId, context.access));
  const parsed = parseGitUrl(request.url, context.access);
  if (!parsed.ok) throw refused(parsed.message);
  return parsed.transport === 'file'
    ? openFolder(fileURLToPath(parsed.url))
    : openHttp({ ...request, url: parsed.url }, context);
}

function copyFolder(copyId: string, { copiesDir }: GitAccess): string {
  if (copiesDir === undefined)
    throw refused('Installable copies are not read here. Use the address of the repository.');
  return path.join(copiesDir, `${copyId}.git`);
}

/** Opens the repository of a folder, whatever the rules of URLs say. */
export function openFolder(folder: string): Repository {
  const { objects, refs } = openLocalRepository(folder);
  const resolve = async (ref: string): Promise<WantedRef> => {
    if (isCommitId(ref)) {
      const commit = peelToCommit(objects, ref.toLowerCase());
      if (!commit) throw unknownCommit(ref);
      return { commit, ref: commit, want: commit };
    }
    const candidate = refs.candidates(ref)[0];
    if (!candidate) throw refs.isEmpty() ? emptyRepository() : unknownRef(ref);
    return toWantedRef(candidate);
  };
  return {
    resolve,
    tags: async () => toTags(refs.tags()),
    objectsOf: async (ref) => {
      proveCommit(objects, ref);
      return { objects, isWhole: true };
    },
    close: () => objects.close(),
  };
}

function openHttp(request: GitRemoteRequest, context: WorkContext): Repository {
  const http = createHttpClient(context.access, context.signal);
  let discovery: Promise<Remote> | undefined;
  const remote = (): Promise<Remote> => {
    discovery ??= discover(http, request, context.access);
    return discovery;
  };
  return {
    resolve: async (ref) => resolveRemote(http, await remote(), ref),
    tags: async () => toTags(await listRefs(http, await remote(), 'refs/tags/')),
    objectsOf: async (ref, dir, isFresh = false) => {
      const fetching = { http, remote: await remote(), context, dir };
      const objects = isFresh ? undefined : (readStored(fetching, ref) ?? (await fetchNew(fetching, ref)));
      return objects ? { objects, isWhole: false } : { objects: await fetchWhole(fetching, ref), isWhole: true };
    },
    close: () => http.close(),
  };
}

async function resolveRemote(http: HttpClient, remote: Remote, ref: string): Promise<WantedRef> {
  if (isCommitId(ref)) {
    const commit = ref.toLowerCase();
    return { commit, ref: commit, want: commit };
  }
  // One prefix at a time: nearly every ref is a branch, which is tried first.
  for (const name of isGitRef(ref) ? namesOf(ref) : []) {
    const match = (await listRefs(http, remote, name)).find((listed) => listed.name === name);
    if (match) return toWantedRef(match);
  }
  const all = await listRefs(http, remote, '');
  throw all.length === 0 ? emptyRepository() : unknownRef(ref);
}

const toWantedRef = (listedRef: ListedRef): WantedRef => ({
  commit: listedRef.peeled ?? listedRef.id,
  ref: listedRef.symref ?? listedRef.name,
  want: listedRef.id,
});

const toTags = (refs: readonly ListedRef[]): GitTag[] =>
  refs.map((ref) => ({ name: ref.name.slice('refs/tags/'.length), commit: ref.peeled ?? ref.id }));

type Fetching = { http: HttpClient; remote: Remote; context: WorkContext; dir: string };

async function fetchWhole({ http, remote, context, dir }: Fetching, ref: WantedRef): Promise<ObjectReader> {
  const bytes = await fetchPack(http, remote, { want: ref.want, onLine: context.onLine });
  context.onLine(`Received ${bytes.length} bytes.`);
  return keep({ remote, context, dir }, ref, { commit: ref.commit, joins: 0, bytes });
}

/**
 * Fetches the objects that the newest stored commit lacks. Returns undefined when nothing is stored or the server sends
 * something else.
 */
async function fetchNew({ http, remote, context, dir }: Fetching, ref: WantedRef): Promise<ObjectReader | undefined> {
  const base = remote.version === 2 ? loadBase(dir) : undefined;
  if (base?.commit.length !== ref.commit.length) return undefined;
  try {
    const thin = await fetchPack(http, remote, { want: ref.want, have: base.commit, onLine: context.onLine });
    context.onLine(`Received ${thin.length} bytes on top of commit ${base.commit}.`);
    const bytes = joinPacks(base.bytes, thin, remote.format);
    return keep({ remote, context, dir }, ref, { commit: ref.commit, joins: base.joins + 1, bytes });
  } catch (error) {
    if (!(error instanceof GitError) || !unfit.has(error.code)) throw error;
    context.onLine('The new objects do not match the stored ones. Fetching everything again.');
    return undefined;
  }
}

/** Error codes with which an incremental fetch can fail while a full fetch succeeds. */
const unfit = new Set<string>(['source_fetch_refused', 'source_too_large', 'source_sync_failed']);

function keep({ remote, context, dir }: Omit<Fetching, 'http'>, ref: WantedRef, pack: StoredPack): ObjectReader {
  const objects = readPack(pack.bytes, remote.format, context.check);
  proveCommit(objects, ref);
  savePack(dir, pack);
  return objects;
}

/** Opens the repository that was fetched before. When it is unreadable, it is removed and fetched again. */
function readStored({ context, dir }: Fetching, ref: WantedRef): ObjectReader | undefined {
  const pack = loadPack(dir, ref.commit);
  if (!pack) return undefined;
  try {
    const objects = readPack(pack.bytes, formatOf(ref.commit), context.check);
    proveCommit(objects, ref);
    return objects;
  } catch (error) {
    if (!(error instanceof GitError) || error.code === 'source_timed_out') throw error;
    dropPack(dir, ref.commit);
    return undefined;
  }
}

/** Throws unless the commit exists. A server may send anything, so only an object whose hash is the id proves it. */
function proveCommit(objects: ObjectReader, { commit }: WantedRef): void {
  const type = objects.stat(commit)?.type;
  if (type === undefined) throw damaged(`commit ${commit} is missing`);
  if (type !== 'commit') {
    throw new GitError(
      'source_ref_not_found',
      `The ref names a ${type}, not a commit. Name a branch, a tag or a commit.`,
    );
  }
}
