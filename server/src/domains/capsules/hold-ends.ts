import type { Clock } from '#server/kernel/clock';
import { createDeadline } from '#server/kernel/deadline';
import type { Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import type { CapsulesService } from './service.ts';

type Deps = {
  capsules: Pick<CapsulesService, 'endHolds' | 'findNextHoldEnd'>;
  outbox: Pick<Outbox, 'listen'>;
  clock: Clock;
  log: Log;
  workGate: WorkGate;
};

/** Ends the holds of Capsules in time, with one timer that is set to the next end. */
export function createHoldEnds({ capsules, outbox, clock, log, workGate }: Deps): { start(): void; stop(): void } {
  let isStarted = false;
  const deadline = createDeadline({
    clock,
    log,
    gate: workGate,
    findNext: capsules.findNextHoldEnd,
    handlePast: capsules.endHolds,
    failure: 'holds of Capsules could not be ended',
  });
  const unsubscribe = outbox.listen(({ kind }) => {
    if (kind === 'capsule' && isStarted) deadline.arm();
  });
  return {
    start() {
      isStarted = true;
      deadline.start();
    },
    stop() {
      isStarted = false;
      unsubscribe();
      void deadline.stop();
    },
  };
}
