import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { FormResourceRecord } from '#shared/form-resources/contract';
import type { Interface } from '#shared/interfaces/contract';
import { api } from './client.ts';
import { keys, queryClient } from './queries.ts';
import { readAll } from './read-all.ts';

const paged = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { nextCursor?: string | undefined }) => page.nextCursor,
};
const cursorOf = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });
const rowsPerPage = '20';

type InterfaceFilter = { type?: string; ownerKind?: 'Capsule' | 'Resource'; ownerId?: string; includeRetired?: 'true' };
/** Interfaces of a Workspace, or of one Capsule or Resource, oldest first. */
export const interfacesQuery = (workspaceId: string, filter: InterfaceFilter = {}) =>
  infiniteQueryOptions({
    queryKey: [...keys.interfaces(filter), workspaceId],
    queryFn: async ({ pageParam }) => {
      const query = { workspaceId, ...filter, limit: rowsPerPage, ...cursorOf(pageParam) };
      return (await api.listInterfaces({ query })).body;
    },
    ...paged,
  });

/** Interfaces that a Resource of the form host owns. */
export const interfacesOfResourceQuery = ({ id, workspaceId }: Pick<FormResourceRecord, 'id' | 'workspaceId'>) =>
  interfacesQuery(workspaceId, { ownerKind: 'Resource', ownerId: id });

export const interfaceQuery = (interfaceId: string) =>
  queryOptions({
    queryKey: keys.interface(interfaceId),
    queryFn: async () => (await api.getInterface({ params: { interfaceId } })).body,
  });

/** Bindings of an Interface, without those that are revoked. */
export const interfaceBindingsQuery = (interfaceId: string) =>
  queryOptions({
    queryKey: keys.interfaceBindings(interfaceId),
    queryFn: async () => {
      const { bindings } = (await api.listInterfaceBindings({ params: { interfaceId } })).body;
      return bindings.filter(({ status }) => status.phase !== 'Revoked');
    },
  });

/** Apps that the signed-in person may open, oldest first. */
export const appsQuery = (workspaceId: string, { limit = rowsPerPage }: { limit?: string } = {}) =>
  infiniteQueryOptions({
    queryKey: [...keys.apps(workspaceId), { limit }],
    queryFn: async ({ pageParam }) =>
      (await api.listUiSurfaces({ params: { workspaceId }, query: { limit, ...cursorOf(pageParam) } })).body,
    ...paged,
  });

/** Apps of a Capsule that the signed-in person may open. */
export const appsOfCapsuleQuery = (workspaceId: string, capsuleId: string) =>
  queryOptions({
    queryKey: [...keys.apps(workspaceId), 'capsule', capsuleId],
    queryFn: () => readApps(workspaceId, capsuleId),
  });

/** An app as the signed-in person may open it now; null when they may not. */
export const openableQuery = ({ id, workspaceId, ownerRef }: Interface) =>
  queryOptions({
    queryKey: [...keys.apps(workspaceId), 'one', id],
    queryFn: async () => {
      const capsuleId = ownerRef.kind === 'Capsule' ? ownerRef.id : undefined;
      const apps = await readApps(workspaceId, capsuleId, (app) => app.id === id);
      return apps.find((app) => app.id === id) ?? null;
    },
  });

/** Asks the server again whether an app may be opened. */
export const fetchOpenable = (app: Interface): Promise<Interface | null> =>
  queryClient.fetchQuery({ ...openableQuery(app), staleTime: 0, retry: false });

const readApps = (workspaceId: string, capsuleId: string | undefined, isEnough?: (app: Interface) => boolean) =>
  readAll(async (cursor) => {
    const query = { limit: '100', ...(capsuleId !== undefined && { capsuleId }), ...cursorOf(cursor) };
    const { interfaces, nextCursor } = (await api.listUiSurfaces({ params: { workspaceId }, query })).body;
    return { rows: interfaces, nextCursor };
  }, isEnough);

/** Applies whose Interfaces could not all be created. */
export const interfaceFailuresQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.interfaceFailures(workspaceId),
    queryFn: async () =>
      (await api.listMaterializationFailures({ params: { workspaceId }, query: { limit: '100' } })).body.failures,
  });
