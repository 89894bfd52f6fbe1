export { runGroupsRoutes } from './routes.ts';
export { createRunGroupsService } from './service.ts';
export { createRunGroupsStore } from './store.ts';
