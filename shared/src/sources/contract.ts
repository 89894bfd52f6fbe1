import { z } from 'zod';
import { runErrorCodes } from '../errors.ts';
import { Count, Digest, DisplayName, Millis, Timestamp } from '../kernel/scalars.ts';
import { ManifestProblem } from '../manifest/contract.ts';
import { PhaseTiming, syncIntents, syncTriggers } from '../runs/contract.ts';
import { codeHosts } from './code-host.ts';

export const sourceStatuses = ['active', 'disabled', 'error'] as const;
export type SourceStatus = (typeof sourceStatuses)[number];

export const Source = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  name: DisplayName,
  url: z.string(),
  defaultRef: z.string(),
  defaultPath: z.string(),
  authConnectionId: z.string().optional(),
  status: z.enum(sourceStatuses),
  autoSync: z.boolean(),
  /** Kind of code host, for links to its pages; `none` for hosts that are known by their name. */
  codeHost: z.enum(codeHosts),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Source = z.infer<typeof Source>;

/** Phases of a sync, in this order; `unpack` is absent when there is nothing new. */
export const syncPhases = ['fetch', 'unpack', 'scan'] as const;
export type SyncPhase = (typeof syncPhases)[number];

export const SourceSyncRun = z.strictObject({
  id: z.string(),
  kind: z.literal('source_sync'),
  workspaceId: z.string(),
  sourceId: z.string(),
  url: z.string(),
  ref: z.string(),
  path: z.string(),
  archiveRef: z.string(),
  intent: z.enum(syncIntents),
  status: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  heartbeatAt: Millis.optional(),
  resolvedCommit: z.string().optional(),
  archiveDigest: Digest.optional(),
  archiveSizeBytes: Count.optional(),
  sourceSnapshotId: z.string().optional(),
  phaseTimings: z.array(PhaseTiming).optional(),
  errorCode: z.enum(runErrorCodes).optional(),
  error: z.string().optional(),
});
export type SourceSyncRun = z.infer<typeof SourceSyncRun>;

export const RepositoryManifest = z.union([
  z.strictObject({ status: z.literal('absent') }),
  z.strictObject({ status: z.literal('present'), digest: Digest }),
  z.strictObject({
    status: z.literal('invalid'),
    reason: z.enum(['not_regular_file', 'too_large', 'invalid_utf8', 'invalid_document']),
    digest: Digest.optional(),
  }),
]);
export type RepositoryManifest = z.infer<typeof RepositoryManifest>;

/**
 * Texts of a commit as the commit says them; nothing proves that they are true. Characters that cannot be seen are shown
 * as `\u{…}`, and e-mail addresses are left out. `messageCut` marks a message longer than 8 KiB.
 */
export const SnapshotCommit = z.strictObject({
  subject: z.string(),
  message: z.string(),
  messageCut: z.literal(true).optional(),
  authorName: z.string(),
  authoredAt: Timestamp,
  committedAt: Timestamp,
});
export type SnapshotCommit = z.infer<typeof SnapshotCommit>;

export const SourceSnapshot = z.strictObject({
  id: z.string(),
  origin: z.literal('git'),
  workspaceId: z.string(),
  sourceId: z.string(),
  url: z.string(),
  ref: z.string(),
  resolvedCommit: z.string(),
  path: z.string(),
  archiveRef: z.string(),
  archiveDigest: Digest,
  archiveSizeBytes: Count,
  repositoryManifest: RepositoryManifest.optional(),
  /** Reason why a manifest is an `invalid_document`. */
  manifestProblems: z.array(ManifestProblem).optional(),
  fetchedByRunId: z.string(),
  /** Origin of the sync that fetched it: `createdBy` and `trigger` of its Run. */
  fetchedBy: z.string().optional(),
  trigger: z.enum(syncTriggers).optional(),
  fetchedAt: Timestamp,
  /** Absent for a snapshot of an earlier version, until its commit is synced again. */
  commit: SnapshotCommit.optional(),
});
export type SourceSnapshot = z.infer<typeof SourceSnapshot>;
