export { createRunRecorder } from './activity-records.ts';
export { aggregateStatus } from './aggregate-status.ts';
export { endEventOf, runKindOf } from './audit-events.ts';
export { createCancel, createQueuedCancel, createRestoredCancel } from './cancel.ts';
export { createExpiry } from './expiry.ts';
export { createFeedReader, type FeedReader } from './feed.ts';
export { auditItem, failureItem, noteItem, phaseItem, warningItem } from './feed-items.ts';
export type { RunHandler } from './handler.ts';
export type { BoundInput, CapsuleRunInput, RestoreInput, SyncInput } from './input.ts';
export type { NewRun } from './moves.ts';
export { phaseTimingsOf } from './phase-timings.ts';
export { createPreemption, isPreempted, type PreemptCheck } from './preemption.ts';
export { AbandonedError, createRunQueue, type PoolClaim, type RunQueue } from './queue.ts';
export { awaiting, hasChanges, reviewable, withoutIndex } from './queue-store.ts';
export { runsRoutes } from './routes.ts';
export {
  type ApplyRun,
  type CapsuleRun,
  endedByOf,
  isApplyRun,
  isCapsuleRun,
  isPlanRun,
  isRestoreRun,
  isScheduledCheck,
  isSyncRun,
  type PlanRun,
  type RestoreRun,
  type RunRecord,
  type SyncRun,
} from './run-record.ts';
export { createRunsService, type RunsService } from './service.ts';
export type { Slot } from './slots.ts';
export type { RunRequester } from './store.ts';
