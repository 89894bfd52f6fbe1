export { defaultProjectId } from './create-workspace.ts';
export { createWorkspaceEvents } from './events.ts';
export { invitationNotFound, type LiveInvitation } from './members-invitations.ts';
export { membersRoutes } from './members-routes.ts';
export { createMembersService, type MembersService } from './members-service.ts';
export { viewerOf, workspacesRoutes } from './routes.ts';
export { createWorkspacesService, type WorkspacesService } from './service.ts';
