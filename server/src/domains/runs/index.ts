export { createCancel } from './cancel.ts';
export { createQueuedCancel } from './cancel-queued.ts';
export { createExpiry } from './expiry.ts';
export { endEventOf, runKindOf } from './families.ts';
export { createFeedReader, type FeedReader } from './feed.ts';
export { createRunQueue, type Job, type RunQueue } from './queue.ts';
export { runsRoutes } from './routes.ts';
export { auditItem, createRunsService, type NewRun, phaseItem, type RunsService } from './service.ts';
export type { RunAsker, RunRecord } from './store.ts';
