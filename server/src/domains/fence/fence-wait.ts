import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#server/kernel/clock';
import type { FenceStatus } from '#shared/fence/contract';

const usualRetryMs = 10_000;

/** Wait of an apply: in its slot for one answer, and outside it for more. */
export type FenceWait = {
  signal: AbortSignal;
  slot: { leave(): void; enter(signal: AbortSignal): Promise<void> };
  /** Called when the bucket has given no answer. */
  onWait: (message: string) => void;
};

/** An apply without a refusal may start. */
type Answer = { refusal: string | undefined };

type Deps = {
  clock: Clock;
  /** Time for which an apply waits for an answer. */
  waitMs: number;
  status: () => FenceStatus;
  message: () => string | undefined;
  /** Sentence about an answer that did not come in time. */
  noAnswer: string;
  check: (signal: AbortSignal) => Promise<FenceStatus>;
  /** Delay before a bucket that gave no answer is asked again; set in tests. */
  retryMs?: number;
};

/** Creates the wait of an apply for the fence. */
export function createFenceWait({ clock, waitMs, status, message, noAnswer, check, retryMs = usualRetryMs }: Deps) {
  /** Checks until an answer counts or the time has passed. */
  async function checkUntil(until: number, { signal, onWait }: FenceWait): Promise<FenceStatus> {
    let answer = await check(signal);
    if (answer === 'unknown') onWait(message() ?? noAnswer);
    while (answer === 'unknown' && clock.now() < until) {
      await sleep(retryMs, undefined, { signal });
      answer = await check(signal);
    }
    return answer;
  }

  /** Reads one answer in the slot of the apply. Undefined when the bucket gave none. */
  async function checkInSlot({ signal }: FenceWait): Promise<Answer | undefined> {
    const answer = await check(signal);
    if (answer === 'unknown') return undefined;
    return { refusal: answer === 'lost' ? message() : undefined };
  }

  /**
   * Reads answers outside the slot, because each one may take long; plans use it until then. Undefined when the apply has
   * its slot again: then the answer may be old.
   */
  async function checkOutside(until: number, wait: FenceWait): Promise<Answer | undefined> {
    wait.slot.leave();
    const answer = await checkUntil(until, wait);
    if (answer === 'unknown') return { refusal: `${message()} The apply has waited and was not started.` };
    if (answer === 'lost') return { refusal: message() };
    await wait.slot.enter(wait.signal);
    return undefined;
  }

  /**
   * Waits until the bucket names this server, and holds the slot when it does. Resolves to a sentence when the bucket
   * names another server, or when it gave no answer for the time of the setting. Rejects when the signal aborts.
   */
  return async (wait: FenceWait): Promise<string | undefined> => {
    const until = clock.now() + waitMs;
    for (;;) {
      const answer = await (status() === 'unknown' ? checkOutside(until, wait) : checkInSlot(wait));
      if (answer) return answer.refusal;
    }
  };
}
