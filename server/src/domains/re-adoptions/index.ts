export { reAdoptionsRoutes } from './routes.ts';
export { createReAdoptionsService, type ReAdoptionsService } from './service.ts';
