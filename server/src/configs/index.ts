export { configsRoutes } from './routes.ts';
export { type ConfigsService, createConfigsService, type PrivateConfig } from './service.ts';
