import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '#server/kernel/until-aborted';

const pauseMs = 1_000;

/**
 * Repeats work with a pause until it succeeds. Undefined as soon as the signal aborts. `onFault` gets the first error
 * only.
 */
export async function persist<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onFault: (error: unknown) => void = () => {},
): Promise<T | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await untilAborted(work(), signal);
    } catch (error) {
      if (attempt === 0 && !signal.aborted) onFault(error);
      // The connection was cut, the server is away, or a disk is full: all may pass.
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** Repeats work with a pause until it succeeds; rejects with its last error after some milliseconds, or when the signal aborts. */
export async function persistFor<T>(work: () => Promise<T>, ms: number, signal?: AbortSignal): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || performance.now() >= until) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
