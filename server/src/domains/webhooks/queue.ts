import type { WebhookClient, WebhookResult } from '#server/drivers/webhook/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { createDeadline, longestTimerMs } from '#server/kernel/deadline';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { stopWork } from '#server/kernel/stop-work';
import type { WorkGate } from '#server/kernel/work-gate';
import { webhookLimits } from '#shared/limits';
import { productName } from '#shared/vendor';
import { bodyOf } from './body.ts';
import type { WebhookSealing } from './sealing.ts';
import type { Settle } from './settle.ts';
import { signatureHeaders } from './signature.ts';
import type { DeliveryRow, WebhookRow, WebhooksStore } from './store.ts';

const { atOnce, atOnceOnServer, retrySeconds, jitter } = webhookLimits;
const longestWaitMs = Math.max(...retrySeconds) * 1_000 * (1 + jitter);
/** Time after which a webhook is tried again whose result could not be recorded. */
const faultPauseMs = 60_000;

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  workGate: WorkGate;
  outbox: Pick<Outbox, 'listen'>;
  store: WebhooksStore;
  settle: Settle;
  sealing: WebhookSealing;
  client: WebhookClient;
};

export type DeliveryQueue = { start(): void; stop(): Promise<void> };

type Attempt = { webhook: WebhookRow; delivery: DeliveryRow };

/**
 * Sends waiting deliveries: one at a time for a webhook, a few for a Workspace and the server. The rows are the queue,
 * so nothing is lost with the process, and one timer is set to the next attempt that is due.
 */
export function createDeliveryQueue(deps: Deps): DeliveryQueue {
  const { db, clock, log, workGate, outbox, store } = deps;
  const running = new Map<string, { workspaceId: string; done: Promise<void> }>();
  /** Webhooks whose last result could not be recorded, with the time on the monotonic clock until which they wait. */
  const faulty = new Map<string, number>();
  const stopping = new AbortController();
  let isStarted = false;

  const deadline = createDeadline({
    clock,
    log,
    gate: workGate,
    findNext() {
      const now = clock.now();
      const next = store.findNextDue(now);
      return faulty.size === 0 ? next : Math.min(next ?? Number.POSITIVE_INFINITY, now + faultPauseMs);
    },
    handlePast: startDue,
    failure: 'deliveries of webhooks could not be started',
  });

  function startDue(now: number): void {
    for (const webhook of store.listDue(now, now + longestWaitMs + longestTimerMs)) {
      if (running.size >= atOnceOnServer) return;
      if (mayStart(webhook)) start(webhook, now);
    }
  }

  function mayStart({ id, workspaceId }: WebhookRow): boolean {
    if (running.has(id) || (faulty.get(id) ?? 0) > performance.now()) return false;
    const ofWorkspace = [...running.values()].filter((other) => other.workspaceId === workspaceId);
    return ofWorkspace.length < atOnce;
  }

  function start(webhook: WebhookRow, now: number): void {
    const delivery = store.findFirst(webhook.id, { testsOnly: isPaused(webhook, now) });
    if (!delivery) return;
    faulty.delete(webhook.id);
    const done = attempt({ webhook, delivery }).catch((error: unknown) => {
      faulty.set(webhook.id, performance.now() + faultPauseMs);
      log.error(faultFields(error), 'a delivery of a webhook could not be made or recorded');
    });
    const entry = done.then(() => {
      running.delete(webhook.id);
      if (isStarted) deadline.start();
    });
    running.set(webhook.id, { workspaceId: webhook.workspaceId, done: entry });
  }

  async function attempt({ webhook, delivery }: Attempt): Promise<void> {
    const startedAt = clock.now();
    const result = await send(deps, { webhook, delivery }, stopping.signal);
    // An attempt that the stop of the server ended did not fail: it is made again, under the same id.
    if (stopping.signal.aborted && result.error) return;
    db.write(() => deps.settle(delivery.id, startedAt, result));
  }

  const unsubscribe = outbox.listen(({ kind }) => {
    if (kind === 'webhook' && isStarted) deadline.start();
  });
  return {
    start() {
      isStarted = true;
      deadline.start();
    },
    async stop() {
      isStarted = false;
      unsubscribe();
      await deadline.stop();
      await stopWork(Promise.all([...running.values()].map(({ done }) => done)), stopping);
    },
  };
}

/** A pause that ends later than any pause may was written before the clock was set back. */
const isPaused = ({ pausedUntil }: WebhookRow, now: number): boolean =>
  pausedUntil !== null && pausedUntil > now && pausedUntil <= now + longestWaitMs;

function send(
  { clock, sealing, client }: Deps,
  { webhook, delivery }: Attempt,
  signal: AbortSignal,
): Promise<WebhookResult> {
  const now = clock.now();
  const body = bodyOf(delivery.message, webhook.format);
  const signed = { id: delivery.id, timestamp: Math.floor(now / 1_000), body };
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': productName.replaceAll(' ', '-'),
    ...signatureHeaders(signed, sealing.openSecrets(webhook, now)),
  };
  return client.post({ url: sealing.openUrl(webhook), headers, body }, signal);
}
