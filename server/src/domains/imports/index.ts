export { importsRoutes } from './routes.ts';
export { createImportsService, type ImportsService } from './service.ts';
