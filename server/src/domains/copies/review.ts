import { jsonDigest } from '#server/kernel/digest';
import type { ChangedFile, ChangedPackage, CopiedPackage, CopyReview } from '#shared/copies/contract';
import type { CopyContent } from './maker.ts';

/** Content of the revision before. */
export type PreviousContent = { packages: readonly CopiedPackage[]; files: ReadonlyMap<string, string> };

/** Returns what a person reads before the commit is published; its digest covers the commit too. */
export function reviewOf(content: CopyContent, previous: PreviousContent | undefined): CopyReview {
  const { commit, upstreamCommit, packages, calls, leftOut, programs, sizeBytes, files } = content;
  const review = {
    packages,
    calls,
    leftOut,
    programs,
    sizeBytes,
    fileCount: files.size,
    ...(previous && {
      difference: {
        packages: changedPackages(previous.packages, packages),
        files: changedFiles(previous.files, files),
      },
    }),
  };
  return { digest: jsonDigest({ commit, upstreamCommit, review }), ...review };
}

/** Text that names the content of a package: its version or commit, else its digest. */
export const contentNameOf = ({ version, commit, digest }: CopiedPackage): string => version ?? commit ?? digest;

/** One package may be there in several versions, so only an address with one entry on both sides is a change. */
function changedPackages(before: readonly CopiedPackage[], after: readonly CopiedPackage[]): ChangedPackage[] {
  const groups = [before, after].map((packages) => Map.groupBy(packages, ({ address }) => address));
  const [old = new Map(), fresh = new Map()] = groups as Map<string, CopiedPackage[]>[];
  return [...new Set([...old.keys(), ...fresh.keys()])].sort().flatMap((address): ChangedPackage[] => {
    const isIn = (list: readonly CopiedPackage[], { digest }: CopiedPackage) =>
      list.some((other) => other.digest === digest);
    const removed = (old.get(address) ?? []).filter((one: CopiedPackage) => !isIn(fresh.get(address) ?? [], one));
    const added = (fresh.get(address) ?? []).filter((one: CopiedPackage) => !isIn(old.get(address) ?? [], one));
    if (removed.length === 1 && added.length === 1)
      return [{ change: 'changed', address, from: contentNameOf(removed[0]), to: contentNameOf(added[0]) }];
    return [
      ...removed.map((one: CopiedPackage) => ({ change: 'removed' as const, address, from: contentNameOf(one) })),
      ...added.map((one: CopiedPackage) => ({ change: 'added' as const, address, to: contentNameOf(one) })),
    ];
  });
}

function changedFiles(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ChangedFile[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): ChangedFile[] => {
    const [old, fresh] = [before.get(path), after.get(path)];
    if (old === fresh) return [];
    const change = old === undefined ? 'added' : fresh === undefined ? 'removed' : 'changed';
    return [{ change, path }];
  });
}
