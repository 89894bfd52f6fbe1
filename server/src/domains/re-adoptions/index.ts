export { reAdoptionsRoutes } from './routes.ts';
export { createReAdoptionsService } from './service.ts';
