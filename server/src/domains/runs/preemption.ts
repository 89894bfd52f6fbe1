import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import { cancelWaiting } from './cancel.ts';
import { noteItem } from './feed-items.ts';
import { isPlanRun, isScheduledCheck, type RunRecord } from './run-record.ts';
import type { RunsService } from './service.ts';

/** Cancels the scheduled drift check of a Capsule that is queued or running, in the caller's transaction. */
export type PreemptCheck = (capsuleId: string) => void;

type Deps = { runs: RunsService; clock: Clock; activity: Pick<ActivityService, 'record'> };

const actor = 'system';

/**
 * A scheduled drift check gives way to any other Run of its Capsule, and to changes that no Run makes, which call the
 * returned function. The check is made up afterwards.
 */
export function createPreemption(deps: Deps): PreemptCheck {
  const { runs, clock } = deps;

  function cancelCheck(check: RunRecord): void {
    if (isPlanRun(check)) {
      // It ends already, perhaps for a person who does not want it.
      if (check.input.cancelledBy !== undefined) return;
      runs.extendInput(check, { cancelledBy: actor });
    }
    runs.append(check.id, [noteItem(clock.now(), 'check_preempted', 'Another request for this Capsule comes first.')]);
    if (check.status === 'queued') cancelWaiting(deps, check, actor);
    else runs.requestStop(check);
  }

  const preemptCheck: PreemptCheck = (capsuleId) => {
    for (const check of runs.store.listScheduledChecks(capsuleId)) cancelCheck(check);
  };
  runs.onCreating((run) => {
    // A backup only reads, and a restore waits for an approval first.
    if (run.type === 'backup' || run.type === 'restore') return;
    if (run.capsuleId !== null && !isScheduledCheck(run)) preemptCheck(run.capsuleId);
  });
  return preemptCheck;
}

/** Reports whether a scheduled check was cancelled because it gave way. */
export const isPreempted = (run: RunRecord): boolean =>
  run.status === 'cancelled' && isScheduledCheck(run) && isPlanRun(run) && run.input.cancelledBy === actor;
