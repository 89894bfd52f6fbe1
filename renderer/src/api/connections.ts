import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Connection } from '#shared/connections/contract';
import { gitTokenKind } from '#shared/connections/contract';
import { objectStorageKind } from '#shared/connections/object-storage';
import type { Source } from '#shared/sources/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { readAll } from './read-all.ts';

const readConnections = (workspaceId: string) => async (cursor: string | undefined) => {
  const { body } = await api.listConnections({
    query: { workspaceId, limit: '100', ...(cursor !== undefined && { cursor }) },
  });
  return { rows: body.connections, nextCursor: body.nextCursor };
};

/** All Connections of a Workspace, the newest first. */
export const connectionsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.connections({ workspaceId }),
    queryFn: async () => (await readAll(readConnections(workspaceId))).reverse(),
  });

/** One Connection of a Workspace; null when it has none of this id. */
export const connectionQuery = (workspaceId: string, connectionId: string) =>
  queryOptions({
    queryKey: keys.connection(connectionId),
    queryFn: async () => {
      const isIt = ({ id }: Connection) => id === connectionId;
      return (await readAll(readConnections(workspaceId), isIt)).find(isIt) ?? null;
    },
  });

/**
 * The Runs that were given values of a Connection, newest first. No event reports a use, so the list is read at every
 * visit.
 */
export const connectionUsesQuery = (connectionId: string) =>
  infiniteQueryOptions({
    queryKey: keys.connectionUses(connectionId),
    queryFn: async ({ pageParam }) =>
      (
        await api.listConnectionUses({
          params: { connectionId },
          query: { limit: '20', ...(pageParam !== undefined && { cursor: pageParam }) },
        })
      ).body,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchOnMount: 'always',
  });

/** The Sources that a Connection signs in for. */
export const sourcesOfConnectionQuery = (workspaceId: string, connectionId: string) =>
  queryOptions({
    queryKey: keys.sources({ authConnectionId: connectionId }),
    queryFn: async (): Promise<Source[]> => {
      const all = await readAll(async (cursor) => {
        const { body } = await api.listSources({
          query: { workspaceId, limit: '100', ...(cursor !== undefined && { cursor }) },
        });
        return { rows: body.sources, nextCursor: body.nextCursor };
      });
      return all.filter(({ authConnectionId }) => authConnectionId === connectionId);
    },
  });

/** The Capsules that a Connection is bound to. */
export const boundCapsulesQuery = (connectionId: string) =>
  queryOptions({
    queryKey: keys.boundCapsules(connectionId),
    queryFn: () =>
      readAll(async (cursor) => {
        const { body } = await api.listBoundCapsules({
          params: { connectionId },
          query: { limit: '100', ...(cursor !== undefined && { cursor }) },
        });
        return { rows: body.capsules, nextCursor: body.nextCursor };
      }),
    refetchOnMount: 'always',
  });

/** True when a Connection can sign in to a Git repository now. */
export const isUsableForGit = ({ kind, status }: Connection): boolean =>
  kind === gitTokenKind && (status === 'pending' || status === 'verified');

/**
 * The repository URL that a Git Connection was created for, or the address of an object storage. It is not a secret; its
 * host shows where the token belongs.
 */
export function homeOf({ kind, scopeHints }: Connection): string | undefined {
  const url = scopeHints?.providerConfig?.[kind === objectStorageKind ? 'endpoint' : 'url'];
  return typeof url === 'string' ? url : undefined;
}

export const hostOf = (url: string | undefined): string | undefined => URL.parse(url ?? '')?.host || undefined;

/** Recipes: what each provider takes, and where to get it. */
export const recipesQuery = queryOptions({
  queryKey: keys.recipes,
  queryFn: async () => (await api.listRecipes({})).body.recipes,
  staleTime: 5 * 60_000,
});

/** The host or recipe as a name, with the first free number behind it. */
export function freeName(wanted: string, all: readonly Connection[]): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted} ${count}`;
    if (!all.some(({ displayName }) => displayName === name)) return name;
  }
}
