import type { RunsService } from '#server/domains/runs/index';
import { isoTime } from '#server/kernel/clock';
import { notFound } from '#server/kernel/errors';
import { type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import { present } from '#server/kernel/present';
import type { restoresApi } from '#shared/restores/api';
import type { RestoredCapsule, RestoreOrigin, RestoreReview } from '#shared/restores/contract';
import type { RestoreRow, RestoresStore } from './store.ts';

type Deps = { cursors: Cursors; store: RestoresStore; runs: Pick<RunsService, 'getRecord'> };
type Named = ReturnType<RestoresStore['listNamed']>[number];

/** Returns the function that reads the review of a restore Run. 404 for a Run of another type. */
export const createRestoreReview =
  ({ cursors, store, runs }: Deps) =>
  (
    runId: string,
    query: ListQueryOf<typeof restoresApi.getRestoreReview>,
  ): { restore: RestoreReview; nextCursor?: string } => {
    const row = store.findRestore(runs.getRecord(runId).id);
    if (!row) throw notFound('restore');
    const { rows, next } = readPage(cursors, query, {
      binding: `restore:${runId}`,
      fetch: (after, limit) => store.listNamed(runId, limit, String(after?.[0] ?? '')),
      positionOf: ({ state }) => [state.capsuleId],
    });
    const restore = {
      runId,
      origin: originOf(row),
      capsuleCount: store.countStates(runId),
      capsules: rows.map(capsuleOf),
      leftOut: row.leftOut,
    };
    return { restore, ...next };
  };

function originOf({ backupId, backupCreatedAt, lateRunId }: RestoreRow): RestoreOrigin {
  if (lateRunId !== null) return { kind: 'late', runId: lateRunId };
  if (backupId === null) return { kind: 'upload' };
  return { kind: 'backup', backupId, backupCreatedAt: isoTime(backupCreatedAt ?? 0) };
}

const capsuleOf = ({ state, name, environment }: Named): RestoredCapsule => ({
  capsuleId: state.capsuleId,
  name,
  environment,
  currentGeneration: state.currentGeneration,
  newGeneration: state.currentGeneration + 1,
  currentResourceCount: state.currentResourceCount,
  restoredResourceCount: state.resourceCount,
  ...state.differences,
  ...present({
    sourceGeneration: state.sourceGeneration,
    stateVersionId: state.restoredStateVersionId,
    conversion: state.convertedFrom === null ? null : { from: state.convertedFrom, to: state.toolName },
  }),
});
