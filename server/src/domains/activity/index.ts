export { activityRoutes } from './routes.ts';
export { type ActivityRecord, type ActivityService, createActivityService, verifyTrail } from './service.ts';
export { type AuditRow, createActivityStore } from './store.ts';
export { headMac, type TrailReport } from './trail.ts';
