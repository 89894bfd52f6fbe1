export { sharesRoutes } from './routes.ts';
export { createSharesService, type SharesService } from './service.ts';
export { createSharesStore } from './store.ts';
