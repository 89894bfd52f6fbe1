import { isPreempted, type RunRecord } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { DriftStore } from './store.ts';

type Deps = { clock: Clock; store: Pick<DriftStore, 'updateSchedule'> };

/** Updates the schedule of a Capsule after a move of one of its Runs, in the transaction of the move. */
export const createScheduleMoves =
  ({ clock, store }: Deps) =>
  (run: RunRecord): void => {
    const { capsuleId, type, status } = run;
    if (capsuleId === null) return;
    if (isPreempted(run)) store.updateSchedule(capsuleId, { dueAt: clock.now() });
    // An apply may have removed the reason of a refusal, so the next one is reported again.
    if (type === 'apply' && status === 'succeeded') store.updateSchedule(capsuleId, { isRefused: false });
  };
