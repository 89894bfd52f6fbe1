export { exportsRoutes } from './routes.ts';
export { createExportsService, type ExportsService } from './service.ts';
