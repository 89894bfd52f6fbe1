export { groupsRoutes } from './routes.ts';
export { createGroupsService, type GroupsService } from './service.ts';
export { createGroupsStore } from './store.ts';
