export { statesRoutes } from './routes.ts';
export { createStatesService, type StatesService } from './service.ts';
