import { AppError } from '#server/kernel/errors';
import { actorOf, type Caller, created, type Mount, noContent, ok, seeOther } from '#server/kernel/http/index';
import { connectionsApi } from '#shared/connections/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { OauthService } from './oauth.ts';
import type { ConnectionsService } from './service.ts';

type Parts = { connections: ConnectionsService; oauth: OauthService };

export function connectionsRoutes(mount: Mount, { connections, oauth }: Parts): void {
  const test = async (id: string, caller: Caller) => {
    const settle = await connections.test(id, actorOf(caller));
    return () => ok(settle());
  };
  const revoke = (id: string, caller: Caller) => () => {
    connections.revoke(id, actorOf(caller));
    return noContent();
  };
  const listOf = (workspaceId: string | undefined): string | null => {
    if (workspaceId !== undefined) connections.requireWorkspace(workspaceId);
    return workspaceId ?? null;
  };

  mount(connectionsApi, {
    listConnections: ({ query: { workspaceId, limit, cursor, ...rest } }) => {
      nothingLeft(rest);
      return ok(connections.list(workspaceId, { limit, cursor }));
    },
    createConnection:
      ({ body, caller }) =>
      () =>
        created({ connection: connections.create(body, actorOf(caller)) }),
    testConnection: ({ params, caller }) => test(params.connectionId, caller),
    revokeConnection: ({ params, caller }) => revoke(params.connectionId, caller),
    listConnectionUses: ({ params, query }) => ok(connections.listUses(params.connectionId, query)),
    startOauth: ({ params, body: { workspaceId, displayName, ...rest }, caller }) => {
      nothingLeft(rest);
      const { principal, origin } = caller;
      if (principal.kind !== 'session')
        throw new AppError('forbidden', 'A sign-in in the browser needs a session. Sign in first.');
      return ok(oauth.start(params.helperId, { workspaceId, displayName, ...principal, origin }));
    },
    finishOauth: async ({ params, query: { code, state, ...rest }, caller }) => {
      nothingLeft(rest);
      const end = await oauth.finish(params.helperId, { code, state, sessionToken: caller.sessionToken });
      return () => seeOther(end());
    },
    listProviderConnections: ({ query: { workspaceId, ...rest } }) => {
      nothingLeft(rest);
      return ok({ providerConnections: connections.listForProviders(workspaceId) });
    },
    listRecipes: () => ok({ recipes: connections.listAvailableRecipes() }),

    listConnectionsAsOperator: ({ query: { workspaceId, limit, cursor, ...rest } }) => {
      nothingLeft(rest);
      return ok(connections.list(listOf(workspaceId), { limit, cursor }));
    },
    createConnectionAsOperator: ({ body, caller }) => {
      listOf(body.workspaceId);
      return () => created({ connection: connections.create(body, actorOf(caller)) });
    },
    getConnectionAsOperator: ({ params }) => ok({ connection: connections.get(params.anyConnectionId) }),
    deleteConnectionAsOperator: ({ params, caller }) => revoke(params.anyConnectionId, caller),
    testConnectionAsOperator: ({ params, caller }) => test(params.anyConnectionId, caller),
    revokeConnectionAsOperator: ({ params, caller }) => revoke(params.anyConnectionId, caller),
  });
}
