import { isSyncRun, type RunsService } from '#server/domains/runs/index';
import { jsonDigest } from '#server/kernel/digest';
import { notFound } from '#server/kernel/errors';
import { beforeSeq, type Cursors, type ListQueryOf, readPage, readTimedPage } from '#server/kernel/page';
import { nothingLeft, type QueryOf } from '#shared/kernel/endpoint';
import type { sourcesApi } from '#shared/sources/api';
import type { codeApi } from '#shared/sources/code-api';
import type { Source, SourceSnapshot, SourceSyncRun } from '#shared/sources/contract';
import type { AddressRules } from './address-rules.ts';
import { snapshotOf, sourceOf, syncRunOf } from './records.ts';
import type { SourceRows } from './source-rows.ts';
import type { SnapshotRow, SourcesStore } from './store.ts';

type SubjectsQuery = QueryOf<typeof codeApi.listCommitSubjects>;

type Deps = {
  cursors: Cursors;
  store: Pick<
    SourcesStore,
    'findSnapshot' | 'listSources' | 'listSnapshots' | 'listManifestProblems' | 'listCommitSubjects'
  >;
  runs: RunsService;
  rows: Pick<SourceRows, 'getSnapshotRow'>;
  rules: Pick<AddressRules, 'canonical'>;
};

/** Pages of Sources and of their snapshots, and the Run of one sync. */
export function createSourceLists({ cursors, store, runs, rows, rules }: Deps) {
  /** Adds what other tables know of snapshots, with one query for each of them. */
  function toSnapshots(snapshots: readonly SnapshotRow[]): SourceSnapshot[] {
    const invalid = snapshots.filter(({ repositoryManifest }) => repositoryManifest.status === 'invalid');
    const problemRows = store.listManifestProblems(invalid.map(({ id }) => id));
    const problems = new Map(problemRows.map((row) => [row.snapshotId, row.problems]));
    const requesters = new Map(runs.store.listRequesters(snapshots.map(({ fetchedByRunId }) => fetchedByRunId)));
    return snapshots.map((row) =>
      snapshotOf(row, { problems: problems.get(row.id), requester: requesters.get(row.fetchedByRunId) }),
    );
  }

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

    getSnapshot: (sourceId: string, snapshotId: string): SourceSnapshot =>
      toSnapshots([rows.getSnapshotRow(sourceId, snapshotId)])[0] as SourceSnapshot,

    listCommitSubjects: (workspaceId: string, { sourceSnapshotIds, ...rest }: SubjectsQuery) => {
      nothingLeft(rest);
      return { subjects: store.listCommitSubjects(workspaceId, sourceSnapshotIds) };
    },

    listSnapshots(
      sourceId: string,
      query: ListQueryOf<typeof sourcesApi.listSnapshots>,
    ): { snapshots: SourceSnapshot[]; nextCursor?: string } {
      const page = readPage(cursors, query, {
        binding: `snapshots:${sourceId}`,
        fetch: (after, limit) => store.listSnapshots(sourceId, limit, beforeSeq(after)),
        positionOf: ({ seq }) => [seq],
      });
      return { snapshots: toSnapshots(page.rows), ...page.next };
    },
  };
}
