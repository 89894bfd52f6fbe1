import { isoTime } from '#server/kernel/clock';
import type { Webhook, WebhookDelivery } from '#shared/webhooks/contract';
import type { DeliveryRow, WebhookRow } from './store.ts';

/** Returns a webhook without what is sealed. */
export function webhookOf(row: WebhookRow, { now, pendingCount }: { now: number; pendingCount: number }): Webhook {
  const { id, workspaceId, name, events, format, host, enabled, createdBy } = row;
  const { disabledAt, disabledReason, failingSince, previousSecretUntil: until } = row;
  return {
    id,
    workspaceId,
    name,
    events,
    format,
    host,
    enabled,
    ...(disabledAt !== null && disabledReason && { disabled: { at: isoTime(disabledAt), reason: disabledReason } }),
    ...(failingSince !== null && { failingSince: isoTime(failingSince) }),
    pendingCount,
    ...(until !== null && until > now && { previousSecretUntil: isoTime(until) }),
    createdBy,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

export function deliveryOf({ id, webhookId, event, status, message, attempts, ...row }: DeliveryRow): WebhookDelivery {
  const { capsule, run } = message;
  return {
    id,
    webhookId,
    event,
    status,
    ...(capsule && { capsuleId: capsule.id, capsuleName: capsule.name }),
    ...(run && { runId: run.id }),
    attempts: attempts.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest })),
    ...(row.dueAt !== null && { nextAttemptAt: isoTime(row.dueAt) }),
    createdAt: isoTime(row.createdAt),
    ...(row.finishedAt !== null && { finishedAt: isoTime(row.finishedAt) }),
  };
}
