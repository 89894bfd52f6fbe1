import type { Clock } from './clock.ts';
import { AppError } from './errors.ts';

const windowMs = 60_000;
/** Keys that are counted at a time: the oldest go first, so that a flood of addresses takes no memory. */
const maxKeys = 10_000;

export type RateLimit = {
  /** Counts one call. Throws 429 `rate_limited`, with the seconds to wait, for one too many in a minute. */
  take(key: string): void;
  /** How many keys are counted now. */
  size(): number;
};

/** So many calls per minute and key, in memory: a restart begins anew. */
export function createRateLimit({ clock, perMinute }: { clock: Clock; perMinute: number }): RateLimit {
  /** In the order in which the windows began. */
  const windows = new Map<string, { since: number; calls: number }>();
  /** A clock that was set back ends the window, too. */
  const isOver = (since: number, now: number) => now < since || now >= since + windowMs;

  function startWindow(key: string, now: number): void {
    windows.delete(key);
    for (const [old, { since }] of windows) {
      if (windows.size < maxKeys && !isOver(since, now)) break;
      windows.delete(old);
    }
    windows.set(key, { since: now, calls: 1 });
  }

  return {
    take(key) {
      const now = clock.now();
      const window = windows.get(key);
      if (!window || isOver(window.since, now)) return startWindow(key, now);
      if (window.calls >= perMinute) {
        const retryAfterSeconds = Math.ceil((window.since + windowMs - now) / 1_000);
        throw new AppError('rate_limited', `There were more than ${perMinute} calls in a minute. Wait a little.`, {
          details: { retryAfterSeconds },
        });
      }
      window.calls += 1;
    },
    size: () => windows.size,
  };
}
