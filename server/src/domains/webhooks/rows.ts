import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import { notFound } from '#server/kernel/errors';
import type { ActivityAction } from '#shared/activity/actions';
import type { Webhook } from '#shared/webhooks/contract';
import { webhookOf } from './records.ts';
import type { DeliveryRow, WebhookRow, WebhooksStore } from './store.ts';

type Deps = { clock: Clock; store: WebhooksStore; activity: Pick<ActivityService, 'record'> };

/** A webhook as a path names it: in its Workspace. */
export type WebhookPath = { workspaceId: string; webhookId: string };
export type DeliveryPath = WebhookPath & { deliveryId: string };
export type WebhookRows = ReturnType<typeof createWebhookRows>;

/** Finds the rows that a path names, and shows and records them. */
export function createWebhookRows({ clock, store, activity }: Deps) {
  /** Throws 404 also for a webhook of another Workspace, because the caller's role was checked for this one. */
  function getRow({ workspaceId, webhookId }: WebhookPath): WebhookRow {
    const row = store.find(webhookId);
    if (row?.workspaceId !== workspaceId) throw notFound('webhook');
    return row;
  }

  function getDeliveryRow({ deliveryId, ...path }: DeliveryPath): DeliveryRow {
    const { id } = getRow(path);
    const row = store.findDelivery(deliveryId);
    if (row?.webhookId !== id) throw notFound('delivery');
    return row;
  }

  const show = (row: WebhookRow): Webhook =>
    webhookOf(row, { now: clock.now(), pendingCount: store.countPending(row.id) });

  /** Records a change by a person; the history names the webhook and its host, and never its address. */
  const record = ({ id, workspaceId, name, host }: WebhookRow, action: ActivityAction, actorId: string): void =>
    activity.record({
      workspaceId,
      actorId,
      action,
      targetType: 'webhook',
      targetId: id,
      metadata: { name, host },
    });

  return { getRow, getDeliveryRow, show, record };
}
