import type { Clock } from '#server/kernel/clock';
import type { Outbox } from '#server/kernel/outbox';
import { auditItem, type RunsService } from './service.ts';

const longestTimerMs = 2 ** 31 - 1;

/** Ends plans that waited too long for a person. One timer, set to the next of them; none when nothing waits. */
export function createExpiry({ runs, outbox, clock }: { runs: RunsService; outbox: Outbox; clock: Clock }): {
  start(): void;
  stop(): void;
} {
  let timer: NodeJS.Timeout | undefined;
  function arm(): void {
    clearTimeout(timer);
    const at = runs.store.findNextExpiry();
    if (at === undefined) return;
    timer = setTimeout(sweep, Math.min(Math.max(at - clock.now(), 0) + 1, longestTimerMs));
    timer.unref();
  }
  function sweep(): void {
    for (const run of runs.store.listExpired(clock.now()))
      runs.move(run.id, 'expire', { items: [auditItem('plan.expired', clock.now())] });
    arm();
  }
  const deaf = outbox.listen(({ kind, status }) => {
    if (kind === 'run' && status === 'waiting_approval') arm();
  });
  return {
    start: sweep,
    stop() {
      deaf();
      clearTimeout(timer);
    },
  };
}
