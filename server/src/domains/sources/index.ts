export { createSourceHooks } from './hooks.ts';
export {
  type CheckRequest,
  createInspection,
  type InspectionService,
  type PolicyQuery,
  type RootEvidence,
  type ToolOfScan,
} from './inspection.ts';
export { createSyncJob } from './jobs.ts';
export { moduleMissing } from './module-choice.ts';
export { findForbidden } from './module-policy.ts';
export { requirementsOf } from './requirements.ts';
export { sourcesRoutes } from './routes.ts';
export { createSyncSchedule } from './schedule.ts';
export { createSourcesService, type SourcesService } from './service.ts';
export { createStableVersions } from './stable-versions.ts';
export { createSourcesStore, type ReportRow, type SnapshotRow, type SourcesStore } from './store.ts';
export type { Lane } from './sync-requests.ts';
