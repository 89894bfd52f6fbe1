import type { ActivityService } from '#server/domains/activity/index';
import {
  type ApplyRun,
  auditItem,
  type CapsuleRun,
  createRunRecorder,
  endEventOf,
  failureItem,
  isApplyRun,
  phaseTimingsOf,
  type RunsService,
  runKindOf,
} from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { RunErrorCode } from '#shared/errors';
import { isApplyType, localPool } from '#shared/runs/contract';

/** Maximum number of times that a Run is started, its supervisor is replaced, or a journal is followed, before it is given up. */
export const maxAttempts = 3;

const notStarted = 'The Run could not be started three times in a row. Read the log of the server.';
const lostWithMachines =
  'Three times in a row the machine of this Run stopped reporting, or could not start it. Look at the machines of its pool, and read their logs.';

/** The tool may have changed resources: such a Run never runs again. */
export const isDispatched = (run: CapsuleRun): boolean => isApplyRun(run) && run.input.dispatched === true;

/** The state of the apply is committed, and only its actions are still to end. */
export const isCommitted = (run: CapsuleRun): boolean => run.input.committed !== undefined;

/** An apply whose tool may have changed resources and whose supervisor is lost. */
export type LostApply = { kind: 'lost'; errorCode: RunErrorCode; message: string; isReported?: boolean };

type Failure = {
  code: RunErrorCode;
  message: string;
  isReported?: boolean;
  /** True when the tool of an apply may have changed resources; default: what the ledger says. */
  dispatched?: boolean;
};
type Deps = {
  db: Db;
  clock: Clock;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  finishApply: (run: ApplyRun, outcome: LostApply) => void;
};

export type RunEnds = ReturnType<typeof createRunEnds>;

/** Ends a Run, or queues it again, without an outcome of its tool. */
export function createRunEnds({ db, clock, runs, activity, finishApply }: Deps) {
  const recordActivity = createRunRecorder(activity);

  function endCancelled(run: CapsuleRun): void {
    const { cancelledBy: actor } = run.input;
    const by = actor === undefined ? {} : { actor };
    runs.move(run.id, 'cancel', {
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [auditItem(`${runKindOf(run)}.cancelled`, clock.now(), by)],
    });
    recordActivity(run, 'run.cancelled');
  }

  /**
   * Ends a Run without an outcome of its apply. Its Capsule is unchanged, unless the provider was dispatched: then the newest state found
   * is committed. Records of a supervisor are in the feed already.
   */
  function fail(run: CapsuleRun, why: Failure): void {
    const { code: errorCode, dispatched = isDispatched(run), ...failure } = why;
    if (isApplyRun(run) && dispatched) {
      db.write(() => finishApply(run, { kind: 'lost', errorCode, ...failure }));
      return;
    }
    const now = clock.now();
    const isDenied = errorCode === 'policy_denied' && !isApplyType(run.type);
    const data = isApplyType(run.type)
      ? { errorCode, providerDispatched: false, providerApplySucceeded: false }
      : { errorCode };
    db.write(() => {
      runs.move(run.id, 'fail', {
        set: { errorCode },
        facts: { phaseTimings: phaseTimingsOf(runs, run.id), ...(isDenied && { policyStatus: 'deny' as const }) },
        items: [
          ...(isDenied ? [auditItem('plan.policy_evaluated', now, { data: { policyStatus: 'deny' } })] : []),
          ...(why.isReported === true ? [] : [failureItem(now, errorCode, why.message)]),
          auditItem(endEventOf(run, 'failed'), now, { data }),
        ],
      });
      recordActivity(run, 'run.failed', { metadata: { errorCode } });
    });
  }

  function retry(id: string): void {
    const run = runs.getCapsuleRun(id);
    if (run.attempts >= maxAttempts) {
      fail(run, {
        code: 'runner_infrastructure_retry_exhausted',
        message: run.runnerPool === localPool ? notStarted : lostWithMachines,
      });
      return;
    }
    runs.move(id, 'requeue', {
      set: { journalOffset: 0 },
      items: [auditItem(endEventOf(run, 'retry_scheduled'), clock.now())],
    });
    recordActivity(run, 'run.retry_scheduled');
  }

  return { endCancelled, fail, retry };
}
