import type { Clock } from '#server/kernel/clock';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { webhookLimits } from '#shared/limits';
import { type EventMessage, testEvent } from '#shared/notifications/message';
import type { DeliveryRow, NewDelivery, WebhookRow, WebhooksStore } from './store.ts';

/** Attempts of a delivery, the first one included. */
export const fullTries = webhookLimits.retrySeconds.length + 1;

export type DeliveryPorts = {
  clock: Clock;
  outbox: Pick<Outbox, 'push'>;
  store: WebhooksStore;
};

export type Deliveries = ReturnType<typeof createDeliveries>;

/** Writes deliveries. Every function runs in the caller's transaction. */
export function createDeliveries({ clock, outbox, store }: DeliveryPorts) {
  const notify = ({ id, workspaceId }: Pick<WebhookRow, 'id' | 'workspaceId'>): void =>
    outbox.push({ workspaceId, kind: 'webhook', recordId: id });

  /** Sets the time of the next attempt of a webhook from its waiting deliveries. */
  function reschedule(webhookId: string): void {
    const webhook = store.find(webhookId);
    if (!webhook) return;
    const { test, other } = store.findDueTimes(webhookId);
    const times = [test, other === null ? null : Math.max(other, webhook.pausedUntil ?? 0)];
    const known = times.filter((time) => time !== null);
    const dueAt = known.length === 0 ? null : Math.min(...known);
    if (dueAt !== webhook.dueAt) store.update(webhookId, { dueAt });
  }

  function enqueue(webhook: WebhookRow, message: EventMessage): DeliveryRow {
    const now = clock.now();
    const row: NewDelivery & { id: string } = {
      id: newId('delivery'),
      webhookId: webhook.id,
      workspaceId: webhook.workspaceId,
      event: message.event,
      status: 'pending',
      message,
      attempts: [],
      // A test says how the receiver answers now.
      tries: message.event === testEvent ? 1 : fullTries,
      dueAt: now,
      createdAt: now,
    };
    store.insertDelivery(row);
    dropExcess(webhook.workspaceId, now);
    reschedule(webhook.id);
    notify(webhook);
    return getDelivery(row.id);
  }

  function getDelivery(id: string): DeliveryRow {
    const row = store.findDelivery(id);
    if (!row) throw new Error('a delivery that was just written is missing');
    return row;
  }

  function dropExcess(workspaceId: string, now: number): void {
    const dropped = store.listPendingBeyond(workspaceId, webhookLimits.pending);
    for (const { id } of dropped) store.updateDelivery(id, { status: 'dropped', dueAt: null, finishedAt: now });
    for (const id of new Set(dropped.map(({ webhookId }) => webhookId))) reschedule(id);
  }

  /** Sends a finished delivery again: the same message under the same id, with all attempts of a new one. */
  function enqueueAgain(row: DeliveryRow): DeliveryRow {
    const tries = row.event === testEvent ? 1 : fullTries;
    store.updateDelivery(row.id, { status: 'pending', tries, dueAt: clock.now(), finishedAt: null });
    reschedule(row.webhookId);
    notify({ id: row.webhookId, workspaceId: row.workspaceId });
    return getDelivery(row.id);
  }

  return { enqueue, enqueueAgain, reschedule, notify };
}
