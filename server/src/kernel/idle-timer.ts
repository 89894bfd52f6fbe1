/** Milliseconds without work after which a worker thread ends: a warm one takes 20 to 150 MiB. */
export const workerIdleMs = 60_000;

/** Calls back once when no work starts for a while after the last one ended. Does not keep the process alive. */
export type IdleTimer = { begin(): void; end(): void };

export function createIdleTimer(onIdle: () => void): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    begin,
    end() {
      begin();
      timer = setTimeout(onIdle, workerIdleMs).unref();
    },
  };
}
