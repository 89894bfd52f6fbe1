import type { BeatOrder } from '#server/drivers/nats/index';

/** Remembers the newest message of each machine. */
export function createBeatOrder() {
  const newest = new Map<string, BeatOrder>();

  return {
    /**
     * Notes the position of a message. False when the machine has sent it before one that is here already; an older machine
     * does not say.
     */
    note(machineId: string, order: BeatOrder | undefined): boolean {
      if (!order) return true;
      const known = newest.get(machineId);
      if (known && !isAfter(order, known)) return false;
      newest.set(machineId, order);
      return true;
    },
  };
}

const isAfter = (one: BeatOrder, other: BeatOrder): boolean =>
  one.since > other.since || (one.since === other.since && one.count > other.count);
