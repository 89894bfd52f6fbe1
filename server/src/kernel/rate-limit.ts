import type { Clock } from './clock.ts';
import { AppError } from './errors.ts';

const windowMs = 60_000;
/** Maximum number of counted keys. The oldest are dropped first, so that a flood of addresses uses little memory. */
const maxKeys = 10_000;

export type RateLimit = {
  /** Counts one call. Throws 429 `rate_limited`, with the seconds to wait, when the limit of the minute is exceeded. */
  take(key: string): void;
  /** Returns the number of counted keys. */
  size(): number;
};

/** Limits the calls per minute and key. Counts are in memory, so a restart resets them. */
export function createRateLimit({ clock, perMinute }: { clock: Clock; perMinute: number }): RateLimit {
  /** Windows in the order of their start. */
  const windows = new Map<string, { since: number; calls: number }>();
  /** Reports whether a window is over. A clock that was set back ends it too. */
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
