import type { RunRecord } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import { isApplyType } from '#shared/runs/contract';
import type { PoolsLink } from './link.ts';

type Deps = {
  clock: Clock;
  log: Log;
  outbox: Outbox;
  workGate: Pick<WorkGate, 'mayAct' | 'onOpen'>;
  link: Pick<PoolsLink, 'offer'>;
  /** Lists the Runs of pools that can start now, oldest first. */
  listClaimable: () => RunRecord[];
  retryMs?: number;
};

/** Time after which offers that could not be made, or that a machine turned down, are made again. */
const usualRetryMs = 1_000;
/** Age at which an offer is made again: NATS keeps one for a day. */
const offerMs = 12 * 3_600_000;

export type Offers = ReturnType<typeof createOffers>;

/**
 * Offers the Runs that wait to the machines of their pools. An offer may be lost, doubled or too early, because the claim
 * decides; whatever waits is offered again after a reconnect.
 */
export function createOffers(deps: Deps) {
  const { clock, log, outbox, workGate, link, listClaimable, retryMs = usualRetryMs } = deps;
  const offered = new Map<string, { attempts: number; at: number }>();
  let isWaking = false;
  let isStopped = false;
  let retry: NodeJS.Timeout | undefined;

  async function offer({ id, runnerPool, type, attempts }: RunRecord): Promise<void> {
    offered.set(id, { attempts, at: clock.now() });
    try {
      await link.offer(runnerPool, { runId: id, kind: isApplyType(type) ? 'apply' : 'plan', attempt: attempts });
    } catch (error) {
      offered.delete(id);
      throw error;
    }
  }

  function isOffered({ id, attempts }: RunRecord): boolean {
    const made = offered.get(id);
    return made?.attempts === attempts && clock.now() - made.at < offerMs;
  }

  async function offerAll(): Promise<void> {
    if (!workGate.mayAct()) return;
    const claimable = listClaimable();
    const waiting = new Set(claimable.map(({ id }) => id));
    for (const id of offered.keys()) if (!waiting.has(id)) offered.delete(id);
    await Promise.all(claimable.filter((run) => !isOffered(run)).map(offer));
  }

  function wake(): void {
    if (isWaking || isStopped) return;
    isWaking = true;
    setImmediate(() => {
      isWaking = false;
      if (isStopped) return;
      offerAll().catch((error: unknown) => {
        log.warn(faultFields(error), 'Runs could not be offered to their pools');
        wakeLater();
      });
    });
  }

  function wakeLater(): void {
    clearTimeout(retry);
    if (!isStopped) retry = setTimeout(wake, retryMs).unref();
  }

  // A machine that is live again may be the first in days.
  const unsubscribe = outbox.listen(({ kind }) => void ((kind === 'run' || kind === 'runner') && wake()));
  workGate.onOpen(wake);
  return {
    wake,
    /** Offers everything again, because offers may have been lost. */
    offerAgain(): void {
      offered.clear();
      wake();
    },
    /** Offers a Run again when it can start. */
    remove: (runId: string): void => void offered.delete(runId),
    /** Offers a Run again after a pause, because the machine that took the offer cannot execute it. */
    offerLater(runId: string): void {
      if (offered.delete(runId)) wakeLater();
    },
    stop(): void {
      isStopped = true;
      unsubscribe();
      clearTimeout(retry);
    },
  };
}
