import type { Clock } from '#server/kernel/clock';
import type { Log } from '#server/kernel/log';

const windowMs = 60_000;
/** Kinds of messages and machines that are counted. The oldest are dropped first. */
const maxCounts = 10_000;

export type RefusalNotes = {
  /** Counts what was refused of a machine. */
  note(machineId: string | undefined, message: string, fields?: object): void;
};

/** Writes to the log what is refused of machines: the first of a kind, and then its number at most once a minute. */
export function createRefusalNotes({ log, clock }: { log: Log; clock: Clock }): RefusalNotes {
  const counts = new Map<string, { notedAt: number; count: number }>();
  return {
    note(machineId, message, fields = {}) {
      const key = JSON.stringify([machineId, message]);
      const now = clock.now();
      const known = counts.get(key);
      if (known && now >= known.notedAt && now < known.notedAt + windowMs) {
        known.count += 1;
        return;
      }
      const since = known?.count ?? 0;
      counts.delete(key);
      counts.set(key, { notedAt: now, count: 0 });
      const [oldest] = counts.keys();
      if (counts.size > maxCounts && oldest !== undefined) counts.delete(oldest);
      log.warn({ machineId, ...fields, ...(since > 0 && { refusedSinceLast: since }) }, message);
    },
  };
}
