export { issuerRoutes } from './routes.ts';
export { createIssuerService, type IssuerService } from './service.ts';
