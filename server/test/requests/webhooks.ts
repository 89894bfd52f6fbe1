import type { TestServer } from '../harness.ts';

/** Webhooks of a Workspace; no name server knows their host. */
export async function requestWebhooks({ api, workspaceId }: TestServer): Promise<void> {
  const path = { workspaceId };
  const body = { name: 'Operations', url: 'https://receiver.invalid/hook', events: ['run.failed' as const] };
  const { webhook } = (await api.createWebhook({ params: path, body })).body;
  const params = { ...path, webhookId: webhook.id };
  await api.listWebhooks({ params: path });
  await api.getWebhook({ params });
  await api.updateWebhook({ params, body: { format: 'slack' } });
  await api.rotateWebhookSecret({ params });
  const { delivery } = (await api.testWebhook({ params })).body;
  await api.listWebhookDeliveries({ params });
  await api.redeliver({ params: { ...params, deliveryId: delivery.id } }).catch(() => {});
  await api.deleteWebhook({ params });
}
