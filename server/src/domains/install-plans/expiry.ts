import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import type { Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import { limits } from '#shared/limits';

/** Queries on one kind of record that advances step by step. Times in epoch milliseconds. */
type Expiring = {
  findOldestStep(): number | undefined;
  listUntouchedSince(at: number, limit: number): readonly { id: string }[];
  expire(id: string): unknown;
};
type Deps = { db: Db; outbox: Outbox; clock: Clock; log: Log; workGate: WorkGate; kinds: readonly Expiring[] };

const longestPauseMs = limits.abandonedPlanDays * 24 * 3_600_000;
const batch = 100;

/** Ends abandoned installations, updates and imports, so that no Run or record waits for them forever. */
export function createPlanExpiry({ db, outbox, clock, log, workGate, kinds }: Deps): { start(): void; stop(): void } {
  const deadline = createDeadline({
    clock,
    log,
    gate: workGate,
    findNext: () => {
      const oldest = kinds.flatMap((kind) => kind.findOldestStep() ?? []);
      return oldest.length === 0 ? undefined : Math.min(...oldest) + longestPauseMs;
    },
    handlePast: (now) => {
      for (const kind of kinds)
        for (const { id } of kind.listUntouchedSince(now - longestPauseMs, batch)) db.write(() => kind.expire(id));
    },
    failure: 'abandoned installations could not be ended',
  });
  const stopListening = outbox.listen(({ kind }) => {
    if (kind === 'install_plan' || kind === 'import' || kind === 'late_state') deadline.arm();
  });
  return {
    start: deadline.start,
    stop() {
      stopListening();
      void deadline.stop();
    },
  };
}
