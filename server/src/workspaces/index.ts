export { createWorkspaceEvents, type WorkspaceEvents } from './events.ts';
export { defaultProjectId } from './making.ts';
export { viewerOf, workspacesRoutes } from './routes.ts';
export { createWorkspacesService, type WorkspacesService } from './service.ts';
