export { createWorkspaceEvents, type WorkspaceEvents } from './events.ts';
export { workspacesRoutes } from './routes.ts';
export { createWorkspacesService, defaultProjectId, type WorkspacesService } from './service.ts';
