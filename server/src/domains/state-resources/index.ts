export type { Projector } from './projector.ts';
export { stateResourcesRoutes } from './routes.ts';
export { createStateResourcesService, type StateResourcesService } from './service.ts';
