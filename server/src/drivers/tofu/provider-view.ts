import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { LockEntry } from './lock.ts';
import { currentPlatform, listPackages, type ProviderPackage, packageParts, publishFolder } from './provider-store.ts';
import type { ToolName } from './types.ts';
import { compareVersions, satisfies } from './version.ts';

/*
 * Steps by which an init gets its providers. First `findMissing` and `writeView`, then an init without network whose
 * only source is the view (`cliConfig({ storeDir: <store as the tool sees it>/<view>, network: false })`). If something
 * is missing, or that init fails with `lacksProviders`: an init into a data folder of its own with `network: true`,
 * then `fileStaged` on its `providers` folder, a new view and the first init again. The tool links its data folder to
 * the view and the view links into the store, so the store is mounted, read-only and at the same path, for every
 * command.
 */

export type ProviderRequirement = { address: string; constraints?: string };
export type MissingProvider = { address: string; version?: string };

export const viewsFolder = 'views';

export type FindRequest = {
  storeDir: string;
  tool: ToolName;
  platform?: string;
  /** Null: no lock file yet, so any package that meets the requirements counts. */
  lock: readonly LockEntry[] | null;
  /** Providers that the configuration requires; without it every entry of the lock counts as required. */
  requirements?: readonly ProviderRequirement[];
};

/**
 * Returns the packages that one init may see, and the missing providers. When the lock names a provider, only packages
 * whose `h1` it names are visible: `zh` hashes prove nothing for unpacked files.
 */
export function findMissing(request: FindRequest): { present: ProviderPackage[]; missing: MissingProvider[] } {
  const platform = request.platform ?? currentPlatform();
  const stored = listPackages(request.storeDir).filter((item) => item.platform === platform);
  const locked = new Map((request.lock ?? []).map((entry) => [entry.address, entry]));
  const requirements =
    request.requirements?.filter((item) => !isBuiltIn(item.address)) ??
    [...locked.keys()].map((address) => ({ address }));
  const present = request.requirements === undefined ? stored.filter((item) => !locked.has(item.address)) : [];
  const missing: MissingProvider[] = [];
  for (const requirement of requirements) {
    const entry = locked.get(requirement.address);
    const matches = stored.filter(
      (item) => item.address === requirement.address && isAllowed(item, entry, requirement),
    );
    present.push(...matches);
    if (matches.length === 0 && !(request.requirements === undefined && isForeign(requirement.address, request.tool)))
      missing.push({ address: requirement.address, ...(entry === undefined ? {} : { version: entry.version }) });
  }
  return { present: onePerVersion(present, request.storeDir), missing };
}

/**
 * Writes a folder in the unpacked layout that shows exactly these packages, named by its content and created once;
 * returns its path relative to the store. Its links are relative, so that they work wherever the store is mounted.
 */
export function writeView(request: { storeDir: string; packages: readonly ProviderPackage[] }): string {
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

function isAllowed(item: ProviderPackage, entry: LockEntry | undefined, requirement: ProviderRequirement): boolean {
  if (entry !== undefined) return item.version === entry.version && entry.hashes.includes(item.h1);
  return requirement.constraints === undefined || satisfies(item.version, requirement.constraints);
}

/**
 * Returns one package per version, because the layout has one path per version: the one stored last, newest version
 * first.
 */
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

/** Reports whether an entry belongs to the registry of the other tool: this one neither needs it nor finds it. */
const isForeign = (address: string, tool: ToolName): boolean =>
  address.startsWith(tool === 'tofu' ? 'registry.terraform.io/' : 'registry.opentofu.org/');
