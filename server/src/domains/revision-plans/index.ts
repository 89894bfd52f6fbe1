export { revisionPlansRoutes } from './routes.ts';
export { createRevisionPlansService } from './service.ts';
