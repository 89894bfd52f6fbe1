export { usageRoutes } from './routes.ts';
export { createUsageService, type UsageService } from './service.ts';
export { createUsageStore } from './store.ts';
