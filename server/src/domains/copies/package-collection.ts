import type {
  ExploredPackage,
  ExploreRequest,
  ModuleCalls,
  PackageFiles,
  PackageInput,
  RemoteCall,
  Resolution,
} from '#server/drivers/module-calls/index';
import type { PackageCredentials, PackageFolders } from '#server/drivers/packages/index';
import { type FetchedPackage, type Packages, parseModuleAddress, type Resolved } from '#server/drivers/packages/index';
import { limits } from '#shared/limits';
import { CopyError, type MakeRequest } from './maker.ts';

export type CollectPorts = {
  packages: Pick<Packages, 'resolve' | 'fetch'>;
  moduleCalls: Pick<ModuleCalls, 'explore'>;
};
export type CollectRequest = Pick<MakeRequest, 'signal' | 'onProgress' | 'previous'> & {
  toolName: ExploreRequest['toolName'];
  root: PackageFiles;
  /** Chosen modules of the repository. */
  entries: readonly string[];
  credentials: PackageCredentials;
  folders: PackageFolders;
};
/** A package with the call that led to it first. */
export type CollectedPackage = {
  input: PackageInput;
  address: string;
  constraint: string | undefined;
  kind: 'registry' | 'git' | 'archive';
  sizeBytes: number;
  entries: Set<string>;
  explored: ExploredPackage | undefined;
};
/** A call in the repository, or in the package of this key. */
export type CollectedCall = RemoteCall & { from: string | undefined };
export type Collection = {
  root: ExploredPackage;
  packages: ReadonlyMap<string, CollectedPackage>;
  resolutions: Resolution[];
  calls: CollectedCall[];
};

/** Number of packages of one copy. */
const mostPackages = 256;

/** Returns the name of a source and a constraint, which one resolution has. */
export const callKey = ({ source, version }: { source: string; version?: string | undefined }): string =>
  JSON.stringify([source, version ?? null]);

/**
 * Follows the calls of the chosen modules until nothing new is called, and fetches every package. Calls are taken in the
 * order of the files, so the result does not depend on the order of answers.
 */
export async function collectPackages(ports: CollectPorts, request: CollectRequest): Promise<Collection> {
  const { moduleCalls } = ports;
  const { toolName, root: files, entries } = request;
  const packages = new Map<string, CollectedPackage>();
  const resolutions = new Map<string, Resolution>();
  const root = sound(await moduleCalls.explore({ files, toolName, entries, isRoot: true }), undefined);
  const waiting = [...root.remoteCalls];
  for (let call = waiting.shift(); call; call = waiting.shift()) {
    request.signal.throwIfAborted();
    if (resolutions.has(callKey(call))) continue;
    request.onProgress({ packageCount: packages.size, address: shownAddress(call.source) });
    const { key, sub } = await collectCall(ports, request, { call, packages });
    const { source, version } = call;
    resolutions.set(callKey(call), { source, ...(version !== undefined && { version }), package: key, sub });
    const collected = packages.get(key) as CollectedPackage;
    if (collected.entries.has(sub)) continue;
    collected.entries.add(sub);
    const parts = { files: collected.input.files, toolName, entries: [...collected.entries], isRoot: false };
    collected.explored = sound(await moduleCalls.explore(parts), collected.address);
    waiting.push(...collected.explored.remoteCalls);
  }
  request.onProgress({ packageCount: packages.size });
  return { root, packages, resolutions: [...resolutions.values()], calls: callsOf(root, packages) };
}

const callsOf = (root: ExploredPackage, packages: ReadonlyMap<string, CollectedPackage>): CollectedCall[] => [
  ...root.remoteCalls.map((call) => ({ ...call, from: undefined })),
  ...[...packages].flatMap(([from, { explored }]) => (explored?.remoteCalls ?? []).map((call) => ({ ...call, from }))),
];

/** Returns what was explored. Throws for a module that the tool or a copy refuses. */
function sound(explored: ExploredPackage, address: string | undefined): ExploredPackage {
  const [problem] = explored.problems;
  if (!problem) return explored;
  const place = address === undefined ? problem.path : `${problem.path} of ${address}`;
  throw new CopyError('copy_module_invalid', `${place}: ${problem.message}`);
}

type Collecting = { call: RemoteCall; packages: Map<string, CollectedPackage> };

/** Resolves and fetches the package of a call. Equal content is one package. */
async function collectCall(
  { packages: driver }: CollectPorts,
  { folders, credentials, signal, previous }: CollectRequest,
  { call, packages }: Collecting,
): Promise<{ key: string; sub: string }> {
  const { source, version: constraint } = call;
  const resolved = await driver.resolve({ address: source, constraint, credentials, signal });
  const fetched = await driver.fetch(resolved, { folders, credentials, limits: remaining(packages), signal });
  const address = shownAddress(source);
  refuseMoved(previous, { address, resolved, fetched });
  const key = fetched.digest;
  if (packages.has(key)) return { key, sub: fetched.sub };
  if (packages.size >= mostPackages)
    throw new CopyError('copy_too_large', `The modules call more than ${mostPackages} packages. Choose one module.`);
  packages.set(key, {
    input: inputOf(address, resolved, fetched),
    address,
    constraint,
    kind: parseModuleAddress(source).kind === 'registry' ? 'registry' : resolved.kind,
    sizeBytes: fetched.sizeBytes,
    entries: new Set(),
    explored: undefined,
  });
  return { key, sub: fetched.sub };
}

const inputOf = (address: string, resolved: Resolved, fetched: FetchedPackage): PackageInput => ({
  key: fetched.digest,
  files: { archivePath: fetched.archive, archiveDigest: fetched.digest, leftOut: fetched.leftOut },
  name: address.replace(/\?.*$/s, ''),
  url: resolved.shownUrl,
  ...(resolved.version !== undefined && { version: resolved.version }),
  ...(resolved.kind === 'git' && { commit: resolved.commit }),
});

/** Returns the bytes that the files of the copy may still have, so that its Source can be synced. */
const remaining = (packages: ReadonlyMap<string, CollectedPackage>) => ({
  sizeBytes: limits.archiveBytes - [...packages.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
});

/** Refuses other content under the version that the copy has: a tag that was moved. */
function refuseMoved(
  previous: MakeRequest['previous'],
  { address, resolved, fetched }: { address: string; resolved: Resolved; fetched: FetchedPackage },
): void {
  const { version } = resolved;
  const known = previous.filter((one) => one.address === address && version !== undefined && one.version === version);
  if (known.length === 0 || known.some(({ digest }) => digest === fetched.digest)) return;
  throw new CopyError(
    'copy_package_moved',
    `Version ${version} of ${address} has other files than the copy: ${known[0]?.digest} became ${fetched.digest}. A version must not change; ask its publisher, or choose another version.`,
  );
}

/** Returns an address without user and folder in the package, and without what a query may hold besides a ref. */
export function shownAddress(source: string): string {
  const [, scheme = '', rest = '', query = ''] =
    /^((?:[a-z0-9]+::)?(?:[a-z]+:\/\/)?)([^?]*)(\?.*)?$/is.exec(source) ?? [];
  const [bare = ''] = rest.replace(scheme === '' ? '' : /^[^/]*@/, '').split('//', 1);
  const ref = new URLSearchParams(query).get('ref');
  return `${scheme}${bare}${ref === null ? '' : `?ref=${ref}`}`;
}
