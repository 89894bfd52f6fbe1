import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { auditItem, type RunsService } from './service.ts';
import type { RunRecord } from './store.ts';

const longestTimerMs = 2 ** 31 - 1;
const retryMs = 60_000;

type Deps = {
  db: Db;
  runs: RunsService;
  outbox: Outbox;
  clock: Clock;
  log: Log;
  activity: Pick<ActivityService, 'record'>;
};

/** Ends plans that waited too long for a person. One timer, set to the next of them; none when nothing waits. */
export function createExpiry({ db, runs, outbox, clock, log, activity }: Deps): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  function arm(): void {
    clearTimeout(timer);
    const at = runs.store.findNextExpiry();
    if (at === undefined) return;
    wait(Math.min(Math.max(at - clock.now(), 0) + 1, longestTimerMs));
  }
  function wait(ms: number): void {
    timer = setTimeout(sweep, ms);
    timer.unref();
  }
  function sweep(): void {
    try {
      for (const run of runs.store.listExpired(clock.now())) db.write(() => expire(run));
      arm();
    } catch (error) {
      log.error(faultFields(error), 'plans that are too old could not be ended');
      wait(retryMs);
    }
  }
  function expire(run: RunRecord): void {
    runs.move(run.id, 'expire', { items: [auditItem('plan.expired', clock.now())] });
    const { id, workspaceId, capsuleId } = run;
    const metadata = capsuleId === null ? {} : { capsuleId };
    activity.record({ workspaceId, action: 'run.expired', targetType: 'run', targetId: id, runId: id, metadata });
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
