import { NatsError } from '#server/drivers/nats/index';
import { StoreError } from '#server/drivers/object-store/index';
import { faultFields, type Log } from '#server/kernel/log';
import { untilAborted } from '#server/kernel/until-aborted';
import type { FenceAnswer } from './fence-object.ts';

const usualCheckMs = 30_000;

const fault = 'The fence could not be checked, because the server failed. Read its log.';

type Deps = {
  log: Log;
  /** Sentence about an answer that did not come in time. */
  noAnswer: string;
  /** Time for which one request may take; set in tests. */
  checkMs?: number;
};

/** Sends the requests of the fence one after another, each in a bounded time. */
export function createFenceRequests({ log, noAnswer, checkMs = usualCheckMs }: Deps) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Runs one request after another, because each one continues from the answer of the one before. */
    turn<T>(work: () => Promise<T>): Promise<T> {
      const next = last.then(work, work);
      last = next.catch(() => {});
      return next;
    },

    /** Bounds the time of a request. A failure is an answer that does not count. */
    async time(request: (signal: AbortSignal) => Promise<FenceAnswer>): Promise<FenceAnswer> {
      const signal = AbortSignal.timeout(checkMs);
      try {
        return await request(signal);
      } catch (error) {
        if (error instanceof StoreError || error instanceof NatsError)
          return { status: 'unknown', message: error.message };
        if (signal.aborted) return { status: 'unknown', message: noAnswer };
        log.error(faultFields(error), 'the fence could not be checked');
        return { status: 'unknown', message: fault };
      }
    },
  };
}

/** Shares a call among all callers until it has ended, each of whom may stop waiting. */
export function shareCall<T>(call: () => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let inFlight: Promise<T> | undefined;
  return async (signal) => {
    inFlight ??= call().finally(() => {
      inFlight = undefined;
    });
    if (!signal) return inFlight;
    const result = await untilAborted(inFlight, signal);
    signal.throwIfAborted();
    return result;
  };
}
