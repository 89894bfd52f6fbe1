import { accepted, actorOf, created, type Mount, noContent, ok } from '#server/kernel/http/index';
import { webhooksApi } from '#shared/webhooks/api';
import type { WebhooksService } from './service.ts';

export const webhooksRoutes = (mount: Mount, webhooks: WebhooksService): void =>
  mount(webhooksApi, {
    listWebhooks: ({ params }) => ok({ webhooks: webhooks.list(params.workspaceId) }),
    createWebhook:
      ({ params, body, caller }) =>
      () =>
        created(webhooks.create(params.workspaceId, body, actorOf(caller))),
    getWebhook: ({ params }) => ok({ webhook: webhooks.get(params) }),
    updateWebhook:
      ({ params, body, caller }) =>
      () =>
        ok({ webhook: webhooks.update(params, body, actorOf(caller)) }),
    deleteWebhook:
      ({ params, caller }) =>
      () => {
        webhooks.remove(params, actorOf(caller));
        return noContent();
      },
    rotateWebhookSecret:
      ({ params, caller }) =>
      () =>
        ok(webhooks.rotate(params, actorOf(caller))),
    testWebhook:
      ({ params, caller }) =>
      () =>
        accepted({ delivery: webhooks.test(params, actorOf(caller)) }),
    listWebhookDeliveries: ({ params, query }) => ok(webhooks.listDeliveries(params, query)),
    redeliver:
      ({ params, caller }) =>
      () =>
        accepted({ delivery: webhooks.redeliver(params, actorOf(caller)) }),
  });
