import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import type { FormResourceStatusName } from '#shared/form-resources/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { capabilitiesQuery } from './runner.ts';
import { useWorkspaceId } from './session.tsx';

const paged = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { nextCursor?: string | undefined }) => page.nextCursor,
};
const pageOf = (cursor: string | undefined, limit: string) => ({ limit, ...(cursor !== undefined && { cursor }) });

type Filter = { q?: string; status?: FormResourceStatusName };

/** Resources of the form host in a Workspace, newest first. */
export const formResourcesQuery = (workspaceId: string, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: [...keys.formResources(workspaceId), filter],
    queryFn: async ({ pageParam }) => {
      const query = { ...filter, ...pageOf(pageParam, '100') };
      return (await api.listFormResourceRecords({ params: { workspaceId }, query })).body;
    },
    ...paged,
  });

/** Reports whether a Workspace has Resources of the form host. */
export const hasFormResourcesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...keys.formResources(workspaceId), 'any'],
    queryFn: async () => {
      const { body } = await api.listFormResourceRecords({ params: { workspaceId }, query: { limit: '1' } });
      return body.formResources.length > 0;
    },
  });

export const formResourceQuery = (formResourceId: string) =>
  queryOptions({
    queryKey: keys.formResource(formResourceId),
    queryFn: async () => (await api.getFormResourceRecord({ params: { formResourceId } })).body.formResource,
  });

/** History of a Resource of the form host, newest first. */
export const formResourceEventsQuery = (formResourceId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.formResource(formResourceId), 'events'],
    queryFn: async ({ pageParam }) =>
      (await api.listFormResourceRecordEvents({ params: { formResourceId }, query: pageOf(pageParam, '20') })).body,
    ...paged,
  });

/** Reports whether the form host of this server is on; undefined while unknown. */
export const useFormHost = (): boolean | undefined => useQuery(capabilitiesQuery).data?.formHost;

/** Reports whether the Resources of the form host belong in the navigation: it is on, or it was and left some. */
export function useShowsFormResources(): boolean {
  const isOn = useFormHost();
  const hasSome = useQuery({ ...hasFormResourcesQuery(useWorkspaceId()), enabled: isOn === false }).data;
  return isOn === true || hasSome === true;
}
