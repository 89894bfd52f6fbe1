import { collisionKey } from '#server/kernel/fold-name';
import type { OpenPackage } from './open-package.ts';
import type { PackageInput } from './types.ts';

/** Folder for the packages in a copy, unless the repository uses the name. */
const folderName = 'external-modules';
const longestName = 64;

/** Returns the name of a top folder that the repository does not use, whatever a file system does with letter case. */
export function packagesFolder({ tree, links }: OpenPackage): string {
  const top = [...tree.folders.keys(), ...(tree.folders.get('.') ?? []), ...links.leftOut.map(({ path }) => path)];
  const taken = new Set(top.map((path) => collisionKey(path.split('/')[0] as string)));
  return firstFree(folderName, taken);
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}

/**
 * Returns the folder of each package by its key. Packages with equal files share one, two versions lie side by side, and
 * the order of the input does not matter.
 */
export function packagePaths(packages: readonly PackageInput[], folder: string): Map<string, string> {
  const paths = new Map<string, string>();
  const byDigest = new Map<string, string>();
  const taken = new Set<string>();
  const sorted = packages
    .map((input) => ({ input, name: nameOf(input) }))
    .sort((left, right) => compare(sortKey(left), sortKey(right)));
  for (const { input, name } of sorted) {
    const digest = input.files.archiveDigest;
    const free = byDigest.get(digest) ?? firstFree(name, taken);
    byDigest.set(digest, free);
    taken.add(free);
    paths.set(input.key, `${folder}/${free}`);
  }
  return paths;
}

const sortKey = ({ input, name }: { input: PackageInput; name: string }): string =>
  [name, input.files.archiveDigest, input.key].join('\n');

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Returns `terraform-aws-modules-vpc-aws-5.1.0`: lower case letters, digits and single dashes, then the version. */
function nameOf({ name, version, commit, files }: PackageInput): string {
  const slug = dashed(name.replace(/^[a-z0-9+]+:+\/*/i, '').replace(/\.git$/, '')).slice(0, longestName);
  const pin = version ?? commit?.slice(0, 7) ?? files.archiveDigest.replace('sha256:', '').slice(0, 7);
  return `${dashed(slug) || 'module'}-${dashed(pin, '.').slice(0, longestName)}`;
}

const dashed = (text: string, allowed = ''): string =>
  text
    .toLowerCase()
    .replace(allowed === '.' ? /[^a-z0-9.]+/g : /[^a-z0-9]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
