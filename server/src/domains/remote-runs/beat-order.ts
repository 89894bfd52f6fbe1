import type { BeatOrder } from '#server/drivers/nats/index';

/** Number of earlier processes of a machine whose messages may still arrive. */
const maxEarlier = 8;

/** Remembers the newest message of each machine. */
export function createBeatOrder() {
  const newest = new Map<string, { order: BeatOrder; earlier: readonly string[] }>();

  return {
    /**
     * Notes the position of a message. False when the machine has sent it before one that is here already; an older machine
     * does not say.
     */
    note(machineId: string, order: BeatOrder | undefined): boolean {
      if (!order) return true;
      const known = newest.get(machineId);
      if (!known) newest.set(machineId, { order, earlier: [] });
      else if (known.earlier.includes(order.process)) return false;
      else if (known.order.process !== order.process)
        newest.set(machineId, { order, earlier: [known.order.process, ...known.earlier].slice(0, maxEarlier) });
      else if (known.order.count >= order.count) return false;
      else newest.set(machineId, { ...known, order });
      return true;
    },
  };
}
