export { lateStatesRoutes } from './routes.ts';
export { createLateStatesService, type LateStatesService } from './service.ts';
