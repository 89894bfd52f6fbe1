export { runGroupsRoutes } from './routes.ts';
export { createRunGroupsService, type RunGroupsService } from './service.ts';
export { createRunGroupsStore } from './store.ts';
