import fs from 'node:fs';
import path from 'node:path';
import { githubBody } from '../connection-bodies.ts';
import type { TestServer } from '../harness.ts';

/** Connections of a Workspace and of the operator, and those that an OAuth helper creates. */
export async function requestConnections(server: TestServer): Promise<void> {
  const { api, workspaceId } = server;
  const { workspaceId: _, ...shared } = githubBody(workspaceId);
  const { connection } = (await api.createConnection({ body: githubBody(workspaceId) })).body;
  const params = { connectionId: connection.id };
  await api.listConnections({ query: { workspaceId } });
  await api.listProviderConnections({ query: { workspaceId } });
  await api.listRecipes({});
  await api.testConnection({ params });
  await api.listConnectionUses({ params });
  await api.listBoundCapsules({ params });
  await api.revokeConnection({ params });
  const operator = server.as(server.operatorToken);
  const make = async () => (await operator.createConnectionAsOperator({ body: shared })).body.connection.id;
  const anyParams = { anyConnectionId: await make() };
  await operator.listConnectionsAsOperator({});
  await operator.getConnectionAsOperator({ params: anyParams });
  await operator.testConnectionAsOperator({ params: anyParams });
  await operator.revokeConnectionAsOperator({ params: anyParams });
  await operator.deleteConnectionAsOperator({ params: { anyConnectionId: await make() } });
  const dir = path.join(server.dataDir, 'oauth-helpers');
  fs.mkdirSync(dir);
  const urls = { authorizationUrl: 'https://example.com/a', tokenUrl: 'https://example.com/t' };
  const recipe = { recipeId: 'github', authMode: 'token', envName: 'GITHUB_TOKEN' };
  const helper = { id: 'github', clientId: 'c', scopes: [], ...recipe, ...urls };
  fs.writeFileSync(path.join(dir, 'github.json'), JSON.stringify(helper));
  const oauth = { helperId: 'github' };
  await api.startOauth({ params: oauth, body: { workspaceId } });
  await api.finishOauth({ params: oauth, query: { state: 'made-up' } });
}
