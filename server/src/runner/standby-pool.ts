import type { Standby } from './contract/standby.ts';

type PoolOptions = {
  start: () => Promise<Standby>;
  /** Receives messages about supervisors that could not be started. */
  log: (message: string) => void;
};

/** Milliseconds after the start of a Run until the next supervisor is started, if neither the end of its tool nor its own came first. */
const warmMs = 1_500;

/** Keeps one supervisor that waits for its spec, so that a Run does not wait for the start of a process. */
export function createStandbyPool({ start, log }: PoolOptions) {
  let waiting: Promise<Standby> | undefined;
  let isClosed = false;
  const clear = (standby: Promise<Standby>): void => {
    if (waiting === standby) waiting = undefined;
  };

  /** Starts the supervisor that waits for the next spec, if there is none. */
  function warm(): void {
    if (isClosed || waiting !== undefined) return;
    const next = start();
    waiting = next;
    next.then(
      ({ exited }) => exited.then(() => clear(next)),
      (error: unknown) => {
        clear(next);
        log(`A waiting supervisor could not be started: ${error instanceof Error ? error.message : 'unknown error'}`);
      },
    );
  }

  return {
    warm,

    /** Takes the waiting supervisor, or starts one. */
    take(): Promise<Standby> {
      const standby = waiting ?? start();
      waiting = undefined;
      return standby;
    },

    /**
     * Starts the next supervisor after a moment, or when this Run has ended: loading code would take a core from a Run
     * that has just started.
     */
    warmLater(ended: Promise<unknown>): void {
      const timer = setTimeout(warm, warmMs).unref();
      void ended.then(() => {
        clearTimeout(timer);
        warm();
      });
    },

    /** Ends the waiting supervisor. */
    async close(): Promise<void> {
      isClosed = true;
      const standby = await waiting?.catch(() => undefined);
      standby?.dismiss();
      // A waiting supervisor does not keep this process alive, so the interval does until its end is received.
      const hold = setInterval(() => {}, 60_000);
      await standby?.exited;
      clearInterval(hold);
    },
  };
}
