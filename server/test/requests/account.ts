import type { TestServer } from '../harness.ts';

/** The session, its Workspaces, and the documents that describe the server. */
export async function requestAccount(server: TestServer): Promise<void> {
  const { api, workspaceId } = server;
  const operator = server.as(server.operatorToken);
  const { url } = (await operator.issueSignInLink({ body: {} })).body;
  await api.linkSession({ body: { token: new URL(url).hash.slice(1) } });
  await api.getSession({});
  await server.as((await operator.issueSession({ body: {} })).body.session.token).endSession({});
  const { preferences } = (await api.getNotificationPreferences({})).body;
  await api.setNotificationPreferences({ body: preferences });
  await api.listWorkspaces({});
  await api.getWorkspace({ params: { workspaceId } });
  await server.request('GET', `/api/v1/workspaces/${workspaceId}/events`);
  await server.request('GET', '/api/v1/account/events');
  await api.getBootstrap({});
  await api.getOverview({});
  await api.search({ query: { q: workspaceId } });
  await api.listWorkspaceInventory({});
  const created = {
    params: { workspaceId: (await api.createWorkspace({ body: { handle: 'second' } })).body.workspace.id },
  };
  await api.updateWorkspace({ ...created, body: { displayName: 'Second', policy: {}, archived: false } });
  await api.createProject({ ...created, body: { name: 'Shop', slug: 'shop' } });
  await api.listProjects({ params: { workspaceId } });
  await api.getProject({ params: { projectId: `prj_default_${workspaceId}` } });
  await api.listActivity({ params: { workspaceId } });
  await api.getDiscovery({});
  await api.getCapabilities({});
  await api.getOpenapi({});
  await api.getManifestSchema({ params: { version: 'v2.4' } });
  await api.getHealth({});
  await api.getReadiness({});
  await api.openInstallLink({ query: { git: 'https://example.com/r' } });
  await server.raw({ path: '/metrics', headers: { authorization: `Bearer ${server.operatorToken}` } });
}
