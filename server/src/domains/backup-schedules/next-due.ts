const dayMs = 86_400_000;

/** Returns the next time after `now` at which a day in UTC has this hour. */
export function nextDue(hour: number, now: number): number {
  const today = Math.floor(now / dayMs) * dayMs + hour * 3_600_000;
  return today > now ? today : today + dayMs;
}
