export { identityRoutes } from './routes.ts';
export { createIdentityService, type IdentityService, newToken } from './service.ts';
