import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** The Connections that may be bound to providers here, the operator's too. */
export const providerConnectionsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.connections({ workspaceId, purpose: 'providers' }),
    queryFn: async () => (await api.listProviderConnections({ query: { workspaceId } })).body.providerConnections,
  });

/** How the providers of a checked module resolve with these bindings, and what its plan could reach. Changes nothing. */
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

/** What a Capsule is bound to, and how that resolves now. */
export const capsuleBindingsQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.bindings(capsuleId),
    queryFn: async () => (await api.getProviderBindings({ params: { capsuleId } })).body,
  });
