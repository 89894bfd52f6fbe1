import {
  createDriftMarks,
  createDriftSchedule,
  createDriftService,
  createScheduleMoves,
} from '../domains/drift/index.ts';
import type { PlansService } from '../domains/plans/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import type { RecordDomains } from './records.ts';

type DriftMarks = ReturnType<typeof createDriftMarks>;

/** Builds the marks. The ends of Runs write them, and update the schedules of checks. */
export function buildDriftMarks({ vault }: AppContext, { shared, activity, runs }: BaseDomains, store: Store) {
  const marks = createDriftMarks({
    ...shared,
    activity,
    store,
    getRun: runs.getRecord,
    macKey: () => vault.installationKey('drift'),
  });
  runs.onMoving(marks.recordMove);
  runs.onMoving(createScheduleMoves({ ...shared, store }));
  return marks;
}

type Store = RecordDomains['stores']['drift'];
type Parts = { store: Store; marks: DriftMarks; plans: PlansService };

/** Builds the drift of Capsules and the schedule of its checks. */
export function buildDrift(
  { settings, log, toolManager }: AppContext,
  { shared, capsules, runnerPools, unattendedGate }: BaseDomains & Pick<RecordDomains, 'capsules' | 'runnerPools'>,
  { store, marks, plans }: Parts,
) {
  return {
    drift: createDriftService({ ...shared, capsules, store, marks }),
    driftSchedule: createDriftSchedule({
      ...shared,
      log,
      unattendedGate,
      store,
      plans,
      findTool: toolManager.find,
      poolOfNext: (capsuleId) => runnerPools.chosenPool(capsules.getRow(capsuleId)),
      concurrency: Math.min(settings.concurrentDriftChecks, settings.concurrentRuns),
    }),
  };
}
