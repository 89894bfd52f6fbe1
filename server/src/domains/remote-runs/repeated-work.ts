import { setTimeout as sleep } from 'node:timers/promises';

type Deps = {
  work: () => Promise<void>;
  onFault: (error: unknown) => void;
  signal: AbortSignal;
  retryMs?: number;
};

const usualRetryMs = 5_000;

/**
 * Returns the function that requests work: it is done at once, and again after a pause until it succeeds or the signal
 * aborts. Requests while it is under way are answered by one more turn.
 */
export function createRepeatedWork({ work, onFault, signal, retryMs = usualRetryMs }: Deps): () => void {
  let isRequested = false;
  let isWorking = false;

  async function workAll(): Promise<void> {
    isWorking = true;
    while (isRequested && !signal.aborted) {
      isRequested = false;
      try {
        await work();
      } catch (error) {
        isRequested = true;
        if (!signal.aborted) onFault(error);
        await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {});
      }
    }
    isWorking = false;
  }

  return () => {
    isRequested = true;
    if (!isWorking) void workAll();
  };
}
