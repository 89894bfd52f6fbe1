export { usageRoutes } from './routes.ts';
export { createUsageService } from './service.ts';
export { createUsageStore } from './store.ts';
