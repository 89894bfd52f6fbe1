import type { ActivityService } from '#server/domains/activity/index';
import type { WebhookResult } from '#server/drivers/webhook/index';
import { webhookLimits } from '#shared/limits';
import { testEvent } from '#shared/notifications/message';
import type { DisabledReason } from '#shared/webhooks/contract';
import { type Deliveries, type DeliveryPorts, fullTries } from './deliveries.ts';
import type { DeliveryRow, StoredAttempt, WebhookRow } from './store.ts';

const { retrySeconds, pauseSeconds, jitter, loggedDeliveries, loggedDays } = webhookLimits;
const dayMs = 86_400_000;
const httpGone = 410;

type Deps = DeliveryPorts & {
  deliveries: Deliveries;
  activity: Pick<ActivityService, 'record'>;
};

/** Wait in milliseconds after a number of earlier failures, with a random part. */
const waitOf = (earlier: number): number => {
  const seconds = retrySeconds[Math.min(earlier, retrySeconds.length - 1)] ?? 0;
  return Math.round(seconds * 1_000 * (1 + jitter * Math.random()));
};

/** Records attempts and decides about the next ones, in the caller's transaction. */
export function createSettle({ clock, store, deliveries, activity }: Deps) {
  /** Records an attempt, and decides about the next one. A delivery that was dropped or deleted during it stays so. */
  function settle(id: string, startedAt: number, { durationMs, statusCode, error }: WebhookResult): void {
    const row = store.findDelivery(id);
    const webhook = row && store.find(row.webhookId);
    if (!row || !webhook) return;
    const attempt: StoredAttempt = {
      at: startedAt,
      durationMs,
      ...(statusCode !== undefined && { statusCode }),
      ...(error && { error }),
    };
    const attempts = [...row.attempts, attempt].slice(-fullTries);
    if (error) settleFailure(webhook, { ...row, attempts });
    else settleSuccess(webhook, { ...row, attempts });
    store.trim(webhook.id, { newest: loggedDeliveries, before: clock.now() - loggedDays * dayMs });
    deliveries.reschedule(webhook.id);
    deliveries.notify(webhook);
  }

  function settleSuccess({ id }: WebhookRow, { id: deliveryId, attempts }: DeliveryRow): void {
    store.updateDelivery(deliveryId, { status: 'delivered', attempts, dueAt: null, finishedAt: clock.now() });
    store.update(id, { failingSince: null, failures: 0, pausedUntil: null });
  }

  function settleFailure(webhook: WebhookRow, { id, status, attempts, event, ...row }: DeliveryRow): void {
    const now = clock.now();
    const tries = row.tries - 1;
    const isLast = tries <= 0 || status !== 'pending';
    const wait = waitOf(fullTries - tries - 1);
    store.updateDelivery(id, {
      attempts,
      tries: Math.max(tries, 0),
      ...(status === 'pending' &&
        (isLast ? { status: 'failed', dueAt: null, finishedAt: now } : { dueAt: now + wait })),
    });
    if (event === testEvent) return;
    const failures = webhook.failures + 1;
    const failingSince = webhook.failingSince ?? attempts.at(-1)?.at ?? now;
    // Never longer than the wait of the delivery itself, so that its next attempt is when the log says.
    const pausedUntil = now + Math.min(waitOf(failures - 1), wait, pauseSeconds * 1_000);
    store.update(webhook.id, { failures, failingSince, pausedUntil });
    if (!webhook.enabled) return;
    if (attempts.at(-1)?.statusCode === httpGone) disable(webhook, 'gone');
    // No delivery has succeeded since the first attempt of this one, which was a day ago.
    else if (isLast && failingSince <= (attempts[0]?.at ?? now)) disable(webhook, 'failing');
  }

  function disable(webhook: WebhookRow, reason: DisabledReason): void {
    const { id, workspaceId, name } = webhook;
    const now = clock.now();
    store.update(id, { enabled: false, disabledAt: now, disabledReason: reason });
    store.dropPending(id, now);
    activity.record({
      workspaceId,
      action: 'webhook.disabled',
      targetType: 'webhook',
      targetId: id,
      metadata: { name, reason },
    });
  }

  return settle;
}
export type Settle = ReturnType<typeof createSettle>;
