import { isSyncRun, type RunsService } from '#server/domains/runs/index';
import { jsonDigest } from '#server/kernel/digest';
import { notFound } from '#server/kernel/errors';
import { beforeSeq, type Cursors, type ListQueryOf, readPage, readTimedPage } from '#server/kernel/page';
import type { sourcesApi } from '#shared/sources/api';
import type { Source, SourceSnapshot, SourceSyncRun } from '#shared/sources/contract';
import type { AddressRules } from './address-rules.ts';
import { snapshotOf, sourceOf, syncRunOf } from './records.ts';
import type { SourcesStore } from './store.ts';

type Deps = {
  cursors: Cursors;
  store: Pick<SourcesStore, 'findSnapshot' | 'listSources' | 'listSnapshots' | 'listManifestProblems'>;
  runs: RunsService;
  rules: Pick<AddressRules, 'canonical'>;
};

/** Pages of Sources and of their snapshots, and the Run of one sync. */
export function createSourceLists({ cursors, store, runs, rules }: Deps) {
  return {
    getSyncRun(runId: string): SourceSyncRun {
      const run = runs.getRecord(runId);
      if (!isSyncRun(run)) throw notFound('Run');
      const { sourceSnapshotId } = run.facts;
      return syncRunOf(run, sourceSnapshotId === undefined ? undefined : store.findSnapshot(sourceSnapshotId));
    },

    listSources(
      workspaceId: string,
      query: Omit<ListQueryOf<typeof sourcesApi.listSources>, 'workspaceId'>,
    ): { sources: Source[]; nextCursor?: string } {
      const { order, q, url: address, ...page } = query;
      const url = address === undefined ? undefined : rules.canonical(address);
      const filter = { workspaceId, url, q };
      const { rows, next } = readTimedPage(cursors, page, {
        binding: `sources:${jsonDigest(filter)}`,
        order,
        fetch: (position) => store.listSources({ ...filter, ...position }),
      });
      return { sources: rows.map(sourceOf), ...next };
    },

    listSnapshots(
      sourceId: string,
      query: ListQueryOf<typeof sourcesApi.listSnapshots>,
    ): { snapshots: SourceSnapshot[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `snapshots:${sourceId}`,
        fetch: (after, limit) => store.listSnapshots(sourceId, limit, beforeSeq(after)),
        positionOf: ({ seq }) => [seq],
      });
      const invalid = rows.filter(({ repositoryManifest }) => repositoryManifest.status === 'invalid');
      const problemRows = store.listManifestProblems(invalid.map(({ id }) => id));
      const problems = new Map(problemRows.map((row) => [row.snapshotId, row.problems]));
      const requesters = new Map(runs.store.listRequesters(rows.map(({ fetchedByRunId }) => fetchedByRunId)));
      return {
        snapshots: rows.map((row) =>
          snapshotOf(row, { problems: problems.get(row.id), requester: requesters.get(row.fetchedByRunId) }),
        ),
        ...next,
      };
    },
  };
}
