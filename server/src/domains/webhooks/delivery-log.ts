import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import { nothingLeft } from '#shared/kernel/endpoint';
import { testEvent } from '#shared/notifications/message';
import type { webhooksApi } from '#shared/webhooks/api';
import type { WebhookDelivery } from '#shared/webhooks/contract';
import type { Deliveries } from './deliveries.ts';
import type { EventMessages } from './messages.ts';
import { deliveryOf } from './records.ts';
import type { DeliveryPath, WebhookPath, WebhookRows } from './rows.ts';
import type { WebhooksStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  store: WebhooksStore;
  deliveries: Deliveries;
  rows: WebhookRows;
  workspaces: Pick<WorkspacesService, 'getWorkspace'>;
  messageOf: EventMessages;
};

/** The log of deliveries, and those that a person requests. */
export function createDeliveryLog({ db, clock, cursors, store, deliveries, rows, messageOf }: Deps) {
  return {
    listDeliveries(
      path: WebhookPath,
      { limit, cursor, status, event, ...rest }: ListQueryOf<typeof webhooksApi.listWebhookDeliveries>,
    ) {
      nothingLeft(rest);
      const filter = { status, event };
      const { id } = rows.getRow(path);
      const page = readPage(
        cursors,
        { limit, cursor },
        {
          binding: `webhook-deliveries:${id}:${JSON.stringify(filter)}`,
          fetch: (after, most) => store.listDeliveriesBefore(id, beforeSeq(after), { ...filter, limit: most }),
          positionOf: ({ seq }) => [seq],
        },
      );
      return { deliveries: page.rows.map(deliveryOf), ...page.next };
    },

    /** Sends a test once, also while the webhook is disabled. */
    test(path: WebhookPath, actorId: string): WebhookDelivery {
      return db.write(() => {
        const row = rows.getRow(path);
        const { id, name, workspaceId } = row;
        const message = messageOf({ event: testEvent, at: clock.now(), workspaceId, webhook: { id, name } });
        rows.record(row, 'webhook.tested', actorId);
        return deliveryOf(deliveries.enqueue(row, message));
      });
    },

    /**
     * Throws 409 `delivery_pending` for a delivery that will be attempted anyway, and `webhook_disabled`, except for a
     * test.
     */
    redeliver(path: DeliveryPath, actorId: string): WebhookDelivery {
      return db.write(() => {
        const row = rows.getDeliveryRow(path);
        if (row.status === 'pending')
          throw failedPrecondition('delivery_pending', 'This delivery still waits for its next attempt.');
        const webhook = rows.getRow(path);
        if (!webhook.enabled && row.event !== testEvent)
          throw failedPrecondition(
            'webhook_disabled',
            'This webhook is disabled. Enable it, then send the delivery again.',
          );
        rows.record(webhook, 'webhook.redelivered', actorId);
        return deliveryOf(deliveries.enqueueAgain(row));
      });
    },
  };
}
