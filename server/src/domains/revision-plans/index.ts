export { revisionPlansRoutes } from './routes.ts';
export { createRevisionPlansService, type RevisionPlansService } from './service.ts';
