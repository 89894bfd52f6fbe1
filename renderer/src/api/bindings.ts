import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** Connections that can be bound to providers in this Workspace, including those of the operator. */
export const providerConnectionsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.connections({ workspaceId, purpose: 'providers' }),
    queryFn: async () => (await api.listProviderConnections({ query: { workspaceId } })).body.providerConnections,
  });

/**
 * Resolves the providers of a checked module with these bindings and lists what its plan could read. Changes nothing.
 */
export const bindingsPreviewQuery = (
  reportId: string,
  providerBindings: readonly ProviderBinding[],
  variables: readonly string[] = [],
) =>
  queryOptions({
    queryKey: [...keys.bindingsPreview, reportId, providerBindings, variables],
    queryFn: async () =>
      (
        await api.previewProviderBindings({
          params: { reportId },
          body: { providerBindings: [...providerBindings], variables: [...variables] },
        })
      ).body,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** Provider bindings of a Capsule and how they resolve now. */
export const capsuleBindingsQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.bindings(capsuleId),
    queryFn: async () => (await api.getProviderBindings({ params: { capsuleId } })).body,
  });
