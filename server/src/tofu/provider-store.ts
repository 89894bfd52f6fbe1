import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from '#server/kernel/disk';
import { TofuError } from './error.ts';
import type { LockEntry } from './lock.ts';
import { hashPackage, listFiles } from './provider-hash.ts';
import type { ToolName } from './types.ts';
import { compareVersions, satisfies } from './version.ts';

/*
 * How an init gets its providers. First `findMissing` and `layView`, then an init without network whose only source is
 * the view (`cliConfig({ storeDir: <store as the tool sees it>/<view>, network: false })`). Only when something is missing,
 * or that init fails with `lacksProviders`: one into a data folder of its own with `network: true`, then `fileStaged` on
 * its `providers` folder, a new view and the first init again. The tool links its data folder to the view and the view
 * links into the store, so the store is mounted, read-only and at one place, for every command.
 */

/** One provider package in the store, under `<host>/<namespace>/<type>/<version>/<platform>/<h1 in hex>`. */
export type ProviderPackage = {
  /** `host/namespace/type`. */
  address: string;
  version: string;
  /** `linux_amd64` and the like. */
  platform: string;
  h1: string;
  /** Relative to the store, divided by `/`. */
  path: string;
};

export type ProviderRequirement = { address: string; constraints?: string };
export type MissingProvider = { address: string; version?: string };

export const viewsFolder = 'views';
const packageParts = 5;

/** The platform of this machine in the tools' words. */
export function currentPlatform(platform: string = process.platform, arch: string = process.arch): string {
  const system = platform === 'win32' ? 'windows' : platform;
  const processor = ({ x64: 'amd64', ia32: '386' } as { readonly [arch: string]: string })[arch] ?? arch;
  return `${system}_${processor}`;
}

export type FindRequest = {
  storeDir: string;
  tool: ToolName;
  platform?: string;
  /** Null: no lock file yet, so any package that meets the requirements counts. */
  lock: readonly LockEntry[] | null;
  /** What the configuration asks for; without it every entry of the lock counts as asked for. */
  requirements?: readonly ProviderRequirement[];
};

/**
 * The packages one init may see, and the providers it would not find among them. Where the lock names a provider, only
 * packages whose `h1` it names are seen: `zh` hashes prove nothing for unpacked files.
 */
export function findMissing(request: FindRequest): { present: ProviderPackage[]; missing: MissingProvider[] } {
  const platform = request.platform ?? currentPlatform();
  const stored = listPackages(request.storeDir).filter((item) => item.platform === platform);
  const locked = new Map((request.lock ?? []).map((entry) => [entry.address, entry]));
  const asked =
    request.requirements?.filter((item) => !isBuiltIn(item.address)) ??
    [...locked.keys()].map((address) => ({ address }));
  const present = request.requirements === undefined ? stored.filter((item) => !locked.has(item.address)) : [];
  const missing: MissingProvider[] = [];
  for (const requirement of asked) {
    const entry = locked.get(requirement.address);
    const found = stored.filter((item) => item.address === requirement.address && isAllowed(item, entry, requirement));
    present.push(...found);
    if (found.length === 0 && !(request.requirements === undefined && isForeign(requirement.address, request.tool)))
      missing.push({ address: requirement.address, ...(entry === undefined ? {} : { version: entry.version }) });
  }
  return { present: onePerVersion(present, request.storeDir), missing };
}

/**
 * A folder in the unpacked layout that shows exactly these packages, named by its content and made once; answers its
 * path relative to the store. Its links are relative, so that they lead right wherever the store is mounted.
 */
export function layView(request: { storeDir: string; packages: readonly ProviderPackage[] }): string {
  const sorted = request.packages.map((item) => item.path).sort();
  const name = createHash('sha256').update(sorted.join('\n')).digest('hex').slice(0, 32);
  const view = path.join(request.storeDir, viewsFolder, name);
  if (!fs.existsSync(view)) {
    const temporary = path.join(request.storeDir, viewsFolder, `.${randomUUID()}`);
    fs.mkdirSync(temporary, { recursive: true, mode: 0o755 });
    for (const item of sorted) {
      const link = path.join(temporary, path.posix.dirname(item));
      fs.mkdirSync(path.dirname(link), { recursive: true });
      const up = '../'.repeat(packageParts - 1 + 2);
      fs.symlinkSync(up + item, link, 'dir');
    }
    publishFolder(temporary, view);
  }
  return `${viewsFolder}/${name}`;
}

export type FileRequest = {
  /** The `providers` folder of the data folder that one init with network filled. */
  stagingDir: string;
  storeDir: string;
  /** Where the tool saw folders that lie elsewhere here (a mirror in a sandbox): its path to ours. */
  mounts?: { readonly [seen: string]: string };
};

/**
 * Files what an init staged: copies each package, hashes the copy and gives it its place in one step. Packages that are
 * there already are left alone. Throws `provider_package_refused` for a package with links or special files.
 */
export function fileStaged(request: FileRequest): ProviderPackage[] {
  const filed: ProviderPackage[] = [];
  fs.mkdirSync(request.storeDir, { recursive: true, mode: 0o700 });
  for (const relative of listFolders(request.stagingDir, packageParts)) {
    const source = resolveStaged(path.join(request.stagingDir, relative), request);
    if (source !== undefined) filed.push(filePackage(source, relative, request.storeDir));
  }
  return filed;
}

/** Addresses a filesystem mirror holds, packed or unpacked. */
export function listMirror(mirrorDir: string): string[] {
  const addresses = listFolders(mirrorDir, 3).filter(
    (address) => !address.split('/').some((part) => part.startsWith('.')),
  );
  return addresses.filter((address) => fs.readdirSync(path.join(mirrorDir, address)).length > 0);
}

function filePackage(source: string, relative: string, storeDir: string): ProviderPackage {
  const temporary = path.join(storeDir, `.${randomUUID()}`);
  try {
    for (const file of listFiles(source)) copyDurably(path.join(source, file), path.join(temporary, file));
    const h1 = hashPackage(temporary);
    const item = describe(`${relative}/${Buffer.from(h1.slice(3), 'base64').toString('hex')}`);
    if (item === undefined) throw refused('A staged provider has no address, version and platform.');
    const target = path.join(storeDir, item.path);
    fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 });
    publishFolder(temporary, target);
    return item;
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function copyDurably(from: string, to: string): void {
  fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o755 });
  fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  const fd = fs.openSync(to, 'r+');
  try {
    // Read and run by everybody, written by nobody: a package never changes once it is filed.
    fs.fchmodSync(fd, fs.fstatSync(fd).mode & 0o100 ? 0o555 : 0o444);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * What has its final name is whole, after a power cut too: folders and links are made durable before the name is.
 * Another process may have put the same content there first; then ours goes.
 */
function publishFolder(temporary: string, target: string): void {
  syncFolders(temporary);
  try {
    fs.renameSync(temporary, target);
  } catch (error) {
    if (!fs.existsSync(target)) throw error;
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function syncFolders(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncFolders(path.join(folder, entry.name));
  syncFolder(folder);
}

/** The staged folder, or what its link names; undefined for a link into the store, where the package lies already. */
function resolveStaged(staged: string, request: FileRequest): string | undefined {
  const stat = fs.lstatSync(staged);
  if (stat.isDirectory()) return staged;
  if (!stat.isSymbolicLink()) return undefined;
  const target = path.resolve(path.dirname(staged), fs.readlinkSync(staged));
  const mount = Object.entries(request.mounts ?? {}).find(([seen]) => isInside(target, seen));
  const here = mount === undefined ? target : path.join(mount[1], path.relative(mount[0], target));
  if (isInside(here, request.storeDir)) return undefined;
  if (!fs.statSync(here, { throwIfNoEntry: false })?.isDirectory())
    throw refused('A staged provider is a link that leads nowhere.');
  return fs.realpathSync(here);
}

const isInside = (target: string, folder: string): boolean => target === folder || target.startsWith(folder + path.sep);

/** Every package of the store, in the order of their paths. */
export function listPackages(storeDir: string): ProviderPackage[] {
  return listFolders(storeDir, packageParts + 1).flatMap((relative) => describe(relative) ?? []);
}

const namePattern = /^[0-9A-Za-z][0-9A-Za-z._+-]*$/;

function describe(relative: string): ProviderPackage | undefined {
  const parts = relative.split('/');
  const [host, namespace, type, version, platform, hex] = parts;
  if (
    parts.length !== packageParts + 1 ||
    !parts.every((part) => namePattern.test(part)) ||
    !/^[0-9a-f]{64}$/.test(hex ?? '')
  )
    return undefined;
  const h1 = `h1:${Buffer.from(hex as string, 'hex').toString('base64')}`;
  return {
    address: `${host}/${namespace}/${type}`,
    version: version as string,
    platform: platform as string,
    h1,
    path: relative,
  };
}

/** Relative paths of everything exactly `depth` levels down, in order; links are listed and not entered. */
function listFolders(root: string, depth: number): string[] {
  let level = [''];
  for (let step = 0; step < depth; step += 1) {
    const last = step === depth - 1;
    level = level.flatMap((relative) =>
      readFolder(path.join(root, relative))
        .filter((entry) => (entry.isDirectory() || (last && entry.isSymbolicLink())) && !entry.name.startsWith('.'))
        .map((entry) => (relative === '' ? entry.name : `${relative}/${entry.name}`)),
    );
  }
  return level.sort();
}

function readFolder(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function isAllowed(item: ProviderPackage, entry: LockEntry | undefined, requirement: ProviderRequirement): boolean {
  if (entry !== undefined) return item.version === entry.version && entry.hashes.includes(item.h1);
  return requirement.constraints === undefined || satisfies(item.version, requirement.constraints);
}

/** The layout has one place per version: of several packages the one filed last is seen, newest version first. */
function onePerVersion(packages: readonly ProviderPackage[], storeDir: string): ProviderPackage[] {
  const chosen = new Map<string, { item: ProviderPackage; filedAt: number }>();
  for (const item of packages) {
    const key = path.posix.dirname(item.path);
    const filedAt = fs.statSync(path.join(storeDir, item.path)).ctimeMs;
    if ((chosen.get(key)?.filedAt ?? -1) < filedAt) chosen.set(key, { item, filedAt });
  }
  const items = [...chosen.values()].map(({ item }) => item);
  return items.sort(
    (left, right) =>
      (left.address < right.address ? -1 : Number(left.address > right.address)) ||
      compareVersions(right.version, left.version),
  );
}

const isBuiltIn = (address: string): boolean => address.startsWith('terraform.io/builtin/');

/** An entry that only the other tool reads, under its registry: this one neither needs it nor finds it. */
const isForeign = (address: string, tool: ToolName): boolean =>
  address.startsWith(tool === 'tofu' ? 'registry.terraform.io/' : 'registry.opentofu.org/');

const refused = (sentence: string): TofuError =>
  new TofuError('provider_package_refused', `${sentence} Run init again.`);
