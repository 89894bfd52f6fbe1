export { activityRoutes } from './routes.ts';
export { type ActivityService, createActivityService, type Deed } from './service.ts';
