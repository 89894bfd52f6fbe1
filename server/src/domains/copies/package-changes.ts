import { copyIdOf } from '#shared/sources/copy-address';
import type { CopiesStore } from './store.ts';

type Snapshot = { url: string; resolvedCommit: string };

/**
 * Creates the comparison of two snapshots of one copy: it reports whether the later one holds other packages. Content
 * that no revision describes counts as other packages, and a Source that reads no copy has none.
 */
export const createPackageComparison =
  (store: Pick<CopiesStore, 'findRevisionOfCommit'>) =>
  (before: Snapshot | undefined, after: Snapshot): boolean => {
    const copyId = copyIdOf(after.url);
    if (copyId === undefined) return false;
    const [old, fresh] = [before, after].map((snapshot) => {
      const revision = snapshot && store.findRevisionOfCommit(copyId, snapshot.resolvedCommit);
      return revision?.review?.packages.map(({ path, version, commit, digest }) => [path, version, commit, digest]);
    });
    return old === undefined || fresh === undefined || JSON.stringify(old) !== JSON.stringify(fresh);
  };
