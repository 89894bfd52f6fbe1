export { workspacesRoutes } from './routes.ts';
export { createWorkspacesService, defaultProjectId, type WorkspacesService } from './service.ts';
