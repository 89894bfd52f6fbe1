export { activityRoutes } from './routes.ts';
export { type ActivityService, createActivityService, type Deed, verifyTrail } from './service.ts';
export { type AuditRow, createActivityStore } from './store.ts';
export { headMac, type TrailReport } from './trail.ts';
