import { posix } from 'node:path';
import type { Code } from '#server/drivers/code/index';
import { invalidArgument } from '#server/kernel/errors';
import type { CodeComparison } from '#shared/sources/code';
import { manifestPath } from '#shared/vendor';
import { snapshotArchive } from './snapshot-archive.ts';
import { unreadable } from './snapshot-scans.ts';
import type { SnapshotRow } from './store.ts';

type Deps = {
  code: Pick<Code, 'compare'>;
  sources: { getSnapshotRow: (sourceId: string, snapshotId: string) => SnapshotRow };
  archivesDir: string;
};

/** Compares the archives of two snapshots of a Source. */
export function createCodeComparison({ code, sources, archivesDir }: Deps) {
  const archiveOf = (snapshot: SnapshotRow) => snapshotArchive(archivesDir, snapshot);

  return {
    async compare(sourceId: string, ids: { from: string; to: string }): Promise<CodeComparison> {
      const [from, to] = [sources.getSnapshotRow(sourceId, ids.from), sources.getSnapshotRow(sourceId, ids.to)];
      if (from.path !== to.path)
        throw invalidArgument(
          'snapshot_paths_differ',
          'The snapshots are of different folders of the repository. Choose two of the same path.',
          { field: '/from' },
        );
      const request = { from: archiveOf(from), to: archiveOf(to), ...reservedIn(to.path) };
      const result = await code.compare(request);
      if (result.kind === 'failed') throw unreadable(result.archiveFault, result.failure);
      return { from: endOf(from), to: endOf(to), ...result.difference };
    },
  };
}

/** Returns the path of the repository manifest inside a Source path that holds it. */
function reservedIn(scope: string): { reserved?: string } {
  const path = posix.relative(scope, manifestPath);
  return path.startsWith('..') ? {} : { reserved: path };
}

const endOf = ({ id, resolvedCommit, commit }: SnapshotRow) => ({
  sourceSnapshotId: id,
  resolvedCommit,
  ...(commit && { commit }),
});
