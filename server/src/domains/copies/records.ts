import { isoTime } from '#server/kernel/clock';
import type { Copy, CopyRevision, CopyRevisionRow } from '#shared/copies/contract';
import type { RevisionProgress } from './maker.ts';
import type { CopyRow, RevisionHead, RevisionRow } from './store.ts';

export const copyOf = (row: CopyRow, openRevisionId: string | undefined): Copy => ({
  id: row.id,
  workspaceId: row.workspaceId,
  name: row.name,
  upstream: {
    url: row.upstreamUrl,
    ref: row.upstreamRef,
    path: row.upstreamPath,
    ...(row.authConnectionId !== null && { authConnectionId: row.authConnectionId }),
  },
  ...(row.modulePath !== null && { modulePath: row.modulePath }),
  ...(row.sourceId !== null && { sourceId: row.sourceId }),
  ...(row.currentRevisionId !== null && { currentRevisionId: row.currentRevisionId }),
  ...(openRevisionId !== undefined && { openRevisionId }),
  createdBy: row.createdBy,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

export const revisionRowOf = (row: RevisionHead, progress?: RevisionProgress): CopyRevisionRow => ({
  id: row.id,
  copyId: row.copyId,
  workspaceId: row.workspaceId,
  status: row.status,
  ...(row.upstreamCommit !== null && { upstreamCommit: row.upstreamCommit }),
  ...(row.commit !== null && { commit: row.commit }),
  ...(progress && row.status === 'preparing' && { progress }),
  ...(row.error !== null && { error: row.error }),
  ...(row.approvedBy !== null &&
    row.approvedAt !== null && { approval: { by: row.approvedBy, at: isoTime(row.approvedAt) } }),
  createdBy: row.createdBy,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

export const revisionOf = (row: RevisionRow, progress?: RevisionProgress): CopyRevision => ({
  ...revisionRowOf(row, progress),
  ...(row.review !== null && { review: row.review }),
});
