import type { Clock } from './clock.ts';
import { AppError } from './errors.ts';

const windowMs = 60_000;
/** Windows that are over are forgotten when there are more than this many. */
const keptKeys = 1_024;

export type RateLimit = {
  /** Counts one call. Throws 429 `rate_limited`, with the seconds to wait, for one too many in a minute. */
  take(key: string): void;
};

/** So many calls per minute and key, in memory: a restart begins anew. */
export function createRateLimit({ clock, perMinute }: { clock: Clock; perMinute: number }): RateLimit {
  const windows = new Map<string, { since: number; calls: number }>();
  /** A clock that was set back ends the window, too. */
  const isOver = (since: number, now: number) => now < since || now >= since + windowMs;

  return {
    take(key) {
      const now = clock.now();
      const known = windows.get(key);
      const window = known && !isOver(known.since, now) ? known : { since: now, calls: 0 };
      if (window.calls >= perMinute) {
        const retryAfterSeconds = Math.ceil((window.since + windowMs - now) / 1_000);
        throw new AppError('rate_limited', `There were more than ${perMinute} calls in a minute. Wait a little.`, {
          details: { retryAfterSeconds },
        });
      }
      window.calls += 1;
      windows.set(key, window);
      if (windows.size > keptKeys) for (const [old, { since }] of windows) if (isOver(since, now)) windows.delete(old);
    },
  };
}
