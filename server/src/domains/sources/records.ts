import type { RunRequester, SyncRun } from '#server/domains/runs/index';
import { isoTime } from '#server/kernel/clock';
import type { ManifestProblem } from '#shared/manifest/contract';
import type { Source, SourceSnapshot, SourceSyncRun } from '#shared/sources/contract';
import type { SnapshotRow, SourceRow } from './store.ts';

export const sourceOf = ({
  hookSecret: _,
  polledAt: _polled,
  authConnectionId,
  createdAt,
  updatedAt,
  ...row
}: SourceRow): Source => ({
  ...row,
  ...(authConnectionId !== null && { authConnectionId }),
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
});

const archiveRef = (digest: string): string => `archive://${digest}`;

export const snapshotOf = (
  { seq: _, leftOut: _left, fetchedAt, commit, ...row }: SnapshotRow,
  known: { problems?: readonly ManifestProblem[] | undefined; requester?: RunRequester | undefined } = {},
): SourceSnapshot => ({
  ...row,
  origin: 'git',
  archiveRef: archiveRef(row.archiveDigest),
  fetchedAt: isoTime(fetchedAt),
  ...(commit && { commit }),
  ...(known.requester && { fetchedBy: known.requester.createdBy }),
  ...(known.requester?.trigger && { trigger: known.requester.trigger }),
  ...(known.problems?.length && { manifestProblems: [...known.problems] }),
});

/** Returns a source_sync Run in the shape of its own kind. */
export function syncRunOf(run: SyncRun, snapshot: SnapshotRow | undefined): SourceSyncRun {
  const { url, path, intent, error } = run.input;
  return {
    id: run.id,
    kind: 'source_sync',
    workspaceId: run.workspaceId,
    sourceId: run.sourceId,
    url,
    ref: run.facts.ref ?? '',
    path,
    archiveRef: snapshot ? archiveRef(snapshot.archiveDigest) : '',
    intent,
    status: run.status as SourceSyncRun['status'],
    createdAt: isoTime(run.createdAt),
    updatedAt: isoTime(run.finishedAt ?? run.startedAt ?? run.createdAt),
    ...(run.startedAt !== null && { startedAt: isoTime(run.startedAt) }),
    ...(run.finishedAt !== null && { finishedAt: isoTime(run.finishedAt) }),
    ...(run.heartbeatAt !== null && { heartbeatAt: run.heartbeatAt }),
    ...(snapshot && {
      resolvedCommit: snapshot.resolvedCommit,
      archiveDigest: snapshot.archiveDigest,
      archiveSizeBytes: snapshot.archiveSizeBytes,
      sourceSnapshotId: snapshot.id,
    }),
    ...(run.facts.phaseTimings && { phaseTimings: run.facts.phaseTimings }),
    ...(run.errorCode !== null && { errorCode: run.errorCode }),
    ...(error !== undefined && { error }),
  };
}
