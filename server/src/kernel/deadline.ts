import type { Clock } from './clock.ts';
import { faultFields, type Log } from './log.ts';

const longestTimerMs = 2 ** 31 - 1;
const retryMs = 60_000;

type Deps = {
  clock: Clock;
  log: Log;
  /** Returns the next deadline in epoch milliseconds, or undefined when there is none. */
  findNext: () => number | undefined;
  /** Handles everything whose deadline has passed. It is called again a minute later when it throws. */
  handlePast: (now: number) => void;
  /** Log message for a call that threw. */
  failure: string;
};
type Deadline = {
  /** Handles past deadlines, then sets the timer. */
  start(): void;
  /** Resets the timer after the next deadline may have changed. */
  arm(): void;
  stop(): void;
};

/** Creates one timer for many deadlines, set to the earliest; without deadlines no timer runs. */
export function createDeadline({ clock, log, findNext, handlePast, failure }: Deps): Deadline {
  let timer: NodeJS.Timeout | undefined;
  function arm(): void {
    clearTimeout(timer);
    const at = findNext();
    if (at === undefined) return;
    wait(Math.min(Math.max(at - clock.now(), 0) + 1, longestTimerMs));
  }
  function wait(ms: number): void {
    timer = setTimeout(sweep, ms);
    timer.unref();
  }
  function sweep(): void {
    try {
      handlePast(clock.now());
      arm();
    } catch (error) {
      log.error(faultFields(error), failure);
      wait(retryMs);
    }
  }
  return { start: sweep, arm, stop: () => clearTimeout(timer) };
}
