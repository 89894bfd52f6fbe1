export { outputSharesRoutes } from './routes.ts';
export { createOutputSharesService, type OutputSharesService } from './service.ts';
export { createOutputSharesStore } from './store.ts';
