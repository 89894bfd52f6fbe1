import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { DeliveryStatus, WebhookDelivery } from '#shared/webhooks/contract';
import { ApiError, api } from './client.ts';
import { keys } from './queries.ts';

export const webhooksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.webhooks(workspaceId),
    queryFn: async () => (await api.listWebhooks({ params: { workspaceId } })).body.webhooks,
  });

/** One webhook; null when it was deleted or belongs to another Workspace. */
export const webhookQuery = (workspaceId: string, webhookId: string) =>
  queryOptions({
    queryKey: keys.webhook(webhookId),
    queryFn: async () => {
      try {
        return (await api.getWebhook({ params: { workspaceId, webhookId } })).body.webhook;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });

type DeliveriesFilter = {
  workspaceId: string;
  webhookId: string;
  status?: DeliveryStatus;
  event?: WebhookDelivery['event'];
};

/** Deliveries of a webhook, newest first. */
export const deliveriesQuery = ({ workspaceId, webhookId, ...filter }: DeliveriesFilter) =>
  infiniteQueryOptions({
    queryKey: keys.deliveries(webhookId, filter),
    queryFn: async ({ pageParam: cursor }) => {
      const query = { limit: '25', ...filter, ...(cursor !== undefined && { cursor }) };
      return (await api.listWebhookDeliveries({ params: { workspaceId, webhookId }, query })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
