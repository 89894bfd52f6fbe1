export { createWorkspaceRemoval, type WorkspaceRemoval } from './removal.ts';
export { workspaceDeletionsRoutes } from './routes.ts';
export { createWorkspaceDeletionsService, type WorkspaceDeletionsService } from './service.ts';
export { createDeletionsStore } from './store.ts';
