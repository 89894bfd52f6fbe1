import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import type { Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import { runKindOf } from './audit-events.ts';
import { auditItem } from './feed-items.ts';
import type { RunRecord } from './run-record.ts';
import type { RunsService } from './service.ts';

type Deps = {
  db: Db;
  runs: RunsService;
  outbox: Outbox;
  clock: Clock;
  log: Log;
  workGate: WorkGate;
  activity: Pick<ActivityService, 'record'>;
};

/** Ends plans and restores that waited too long for a person. */
export function createExpiry({ db, runs, outbox, clock, log, workGate, activity }: Deps): {
  start(): void;
  stop(): void;
} {
  const deadline = createDeadline({
    clock,
    log,
    gate: workGate,
    findNext: runs.store.findNextExpiry,
    handlePast: (now) => {
      for (const run of runs.store.listExpired(now)) db.write(() => expire(run));
    },
    failure: 'expired plans could not be ended',
  });
  function expire(run: RunRecord): void {
    runs.move(run.id, 'expire', { items: [auditItem(`${runKindOf(run)}.expired`, clock.now())] });
    const { id, workspaceId, capsuleId } = run;
    const metadata = capsuleId === null ? {} : { capsuleId };
    activity.record({ workspaceId, action: 'run.expired', targetType: 'run', targetId: id, runId: id, metadata });
  }
  const stopListening = outbox.listen(({ kind, status }) => {
    if (kind === 'run' && status === 'waiting_approval') deadline.arm();
  });
  return {
    start: deadline.start,
    stop() {
      stopListening();
      void deadline.stop();
    },
  };
}
