import { untilAborted } from '#server/kernel/until-aborted';
import { NatsError } from './nats-error.ts';

/** Resolves after the time, or rejects with the reason of the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await untilAborted(promise, signal).finally(() => clearTimeout(timer));
}

const usualMaxMs = 5_000;
export type RetryOptions = { tries: number; firstMs: number; maxMs?: number; signal: AbortSignal };

/** Repeats work that failed for a reason of the moment, with a pause that doubles up to `maxMs`. Rejects with its last error. */
export async function retryTransient<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { tries, firstMs, maxMs = usualMaxMs, signal } = options;
  for (let count = 1; ; count += 1) {
    signal.throwIfAborted();
    try {
      return await untilAborted(work(), signal);
    } catch (error) {
      if (!(error instanceof NatsError) || !error.isTransient || count >= tries) throw error;
    }
    await pause(Math.min(firstMs * 2 ** (count - 1), maxMs), signal);
  }
}
