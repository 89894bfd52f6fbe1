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

/** Time after which offers that could not be made are made again. It doubles each time that a machine turns one down. */
const usualRetryMs = 1_000;
/** Longest time after which a Run that machines turn down is offered again: the one that fits may be busy. */
const maxRetryMs = 5_000;
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
  /** Runs that machines turned down: the number of times, and whether one is not offered for a while. */
  const turnedDown = new Map<string, { times: number; isPaused: boolean }>();
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
    for (const known of [offered, turnedDown]) for (const id of known.keys()) if (!waiting.has(id)) known.delete(id);
    await Promise.all(claimable.filter((run) => !isOffered(run) && !turnedDown.get(run.id)?.isPaused).map(offer));
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

  // A machine that is live again may be the first in days, and one that has changed may take what was turned down.
  const unsubscribe = outbox.listen(({ kind }) => {
    if (kind === 'runner') turnedDown.clear();
    if (kind === 'run' || kind === 'runner') wake();
  });
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
    /** Offers a Run again after a pause, because the machine that took the offer cannot execute it. Each pause is longer. */
    offerLater(runId: string): void {
      if (!offered.delete(runId)) return;
      const times = turnedDown.get(runId)?.times ?? 0;
      const pause = { times: times + 1, isPaused: true };
      turnedDown.set(runId, pause);
      const end = (): void => {
        pause.isPaused = false;
        wake();
      };
      setTimeout(end, Math.min(retryMs * 2 ** times, maxRetryMs)).unref();
    },
    stop(): void {
      isStopped = true;
      unsubscribe();
      clearTimeout(retry);
    },
  };
}
