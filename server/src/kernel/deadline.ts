import type { Clock } from './clock.ts';
import { faultFields, type Log } from './log.ts';
import type { WorkGate } from './work-gate.ts';

/** A timer further away would miss for longer that the clock was set. */
export const longestTimerMs = 3_600_000;
const retryMs = 60_000;

type Deps = {
  clock: Clock;
  log: Log;
  /** While it is closed nothing is handled and no timer runs. */
  gate: WorkGate;
  /** Returns the next deadline in epoch milliseconds, or undefined when there is none. */
  findNext: () => number | undefined;
  /** Handles everything whose deadline has passed. It is not called again before its promise has settled. */
  handlePast: (now: number) => void | Promise<void>;
  /** Log message for a call that failed. Another one follows a minute later. */
  failure: string;
};
export type Deadline = {
  /** Handles past deadlines, then sets the timer. */
  start(): void;
  /** Resets the timer after the next deadline may have changed. It fires after this delay at the earliest. */
  arm(leastMs?: number): void;
  /** Ends the timer. Resolves when the work in progress has ended. */
  stop(): Promise<void>;
};

/**
 * Creates one timer for many deadlines, set to the earliest but at most an hour ahead; without deadlines no timer runs.
 * Its methods do not throw.
 */
export function createDeadline({ clock, log, gate, findNext, handlePast, failure }: Deps): Deadline {
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> | undefined;
  let isWanted = false;
  let isStarted = false;
  let isStopped = false;

  function wait(ms: number): void {
    clearTimeout(timer);
    if (isStopped || !gate.mayAct()) return;
    timer = setTimeout(sweep, ms);
    timer.unref();
  }
  function fail(error: unknown): void {
    log.error(faultFields(error), failure);
    wait(retryMs);
  }
  function arm(leastMs = 0): void {
    clearTimeout(timer);
    // The end of the work sets the timer.
    if (work) return;
    try {
      const at = findNext();
      if (at !== undefined) wait(Math.min(Math.max(at - clock.now(), leastMs) + 1, longestTimerMs));
    } catch (error) {
      fail(error);
    }
  }
  function sweep(): void {
    clearTimeout(timer);
    isWanted = work !== undefined;
    if (work || isStopped || !gate.mayAct()) return;
    try {
      const handling = handlePast(clock.now());
      if (handling) work = follow(handling);
      else arm();
    } catch (error) {
      fail(error);
    }
  }
  async function follow(handling: Promise<void>): Promise<void> {
    let end: () => void = arm;
    try {
      await handling;
    } catch (error) {
      end = () => fail(error);
    }
    work = undefined;
    end();
    if (isWanted) sweep();
  }
  gate.onOpen(() => {
    if (isStarted) sweep();
  });
  return {
    start() {
      isStarted = true;
      sweep();
    },
    arm,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await work;
    },
  };
}
