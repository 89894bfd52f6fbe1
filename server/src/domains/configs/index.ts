export { type Adoption, createAdoption } from './adoption.ts';
export { configsRoutes } from './routes.ts';
export { type ConfigsService, createConfigsService, type PrivateConfig } from './service.ts';
