import type { ActivityService } from '#server/domains/activity/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import type { WebhookClient } from '#server/drivers/webhook/index';
import type { Clock } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { Cursors } from '#server/kernel/page';
import type { WorkGate } from '#server/kernel/work-gate';
import { createDeliveries } from './deliveries.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { createWebhookEdits } from './edits.ts';
import type { EventSource, RaisedEvent } from './events.ts';
import type { EventMessages } from './messages.ts';
import { createDeliveryQueue } from './queue.ts';
import { createWebhookRows } from './rows.ts';
import { createWebhookSealing } from './sealing.ts';
import { createSettle } from './settle.ts';
import { createWebhooksStore } from './store.ts';

export type WebhooksService = ReturnType<typeof createWebhooksService>;

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  cursors: Cursors;
  outbox: Outbox;
  vault: Pick<Vault, 'seal' | 'open'>;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'getWorkspace' | 'requireLive'>;
  client: WebhookClient;
  events: EventSource;
  messageOf: EventMessages;
  workGate: WorkGate;
  /** While it is closed, events cause no deliveries. */
  unattendedGate: Pick<WorkGate, 'mayAct'>;
};

/** Webhooks of Workspaces: their records, the deliveries that events cause, and the queue that sends these. */
export function createWebhooksService(deps: Deps) {
  const { db, log, events, messageOf, unattendedGate } = deps;
  const store = createWebhooksStore(db);
  const sealing = createWebhookSealing(deps.vault);
  const deliveries = createDeliveries({ ...deps, store });
  const rows = createWebhookRows({ ...deps, store });
  const parts = { ...deps, store, sealing, deliveries, rows };

  function enqueue(raised: RaisedEvent): void {
    const { event, workspaceId, webhookId } = raised;
    const wanted = store.listOf(workspaceId).filter(({ enabled, events }) => enabled && events.includes(event));
    if (wanted.length === 0) return;
    const subject = webhookId === undefined ? undefined : store.find(webhookId);
    const message = messageOf({ ...raised, ...(subject && { webhook: { id: subject.id, name: subject.name } }) });
    for (const webhook of wanted) deliveries.enqueue(webhook, message);
  }

  events.listen((raised) => {
    if (!unattendedGate.mayAct()) return;
    try {
      db.write(() => enqueue(raised));
    } catch (error) {
      // A webhook never stops the Run that it reports. A full disk does stop both.
      if (isLedgerFault(error)) throw error;
      log.error(faultFields(error), 'an event could not be written for the webhooks');
    }
  });

  return {
    ...createWebhookEdits(parts),
    ...createDeliveryLog(parts),
    /** Ends every waiting delivery, in the caller's transaction. Returns their number. */
    dropEveryPending: (): number => store.dropEveryPending(deps.clock.now()),
    queue: createDeliveryQueue({ ...parts, settle: createSettle(parts) }),
  };
}
