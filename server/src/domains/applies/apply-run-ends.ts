import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { ActionsEnd } from '#server/domains/lifecycle/index';
import type { PlansStore } from '#server/domains/plans/index';
import {
  type ApplyRun,
  auditItem,
  createRunRecorder,
  endEventOf,
  failureItem,
  phaseItem,
  phaseTimingsOf,
  type RunsService,
  runKindOf,
} from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { PlanAction } from '#shared/plans/change';
import type { PlanSummary } from '#shared/plans/summary';
import type { FeedItem } from '#shared/runs/feed';
import { type Committed, isDestroy } from './apply-commit.ts';
import type { ApplyEnd } from './apply-end.ts';

type Deps = {
  clock: Clock;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  capsules: Pick<CapsulesService, 'stopAutoUpdate'>;
  store: Pick<PlansStore, 'findDocument'>;
};

type ActionsFailure = { wasApplied: boolean; failure: ActionsEnd['failure'] };

/** Moves the Run of an apply to its end, with its history. */
export function createApplyRunEnds(deps: Deps) {
  const { clock, runs, capsules } = deps;
  const recordActivity = createRunRecorder(deps.activity);
  const endCommit = (id: string): void => runs.append(id, [phaseItem('commit', 'finished', clock.now())]);

  function succeed(run: ApplyRun, { stateVersionId, outputId }: Committed): void {
    if (run.input.committed === undefined) endCommit(run.id);
    runs.move(run.id, 'finish', {
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [
        ...importsOf(run).map((address) => auditItem('resource.import.completed', clock.now(), { data: { address } })),
        auditItem(endEventOf(run, 'completed'), clock.now(), { data: { stateVersionId, outputId } }),
      ],
    });
    recordActivity(run, isDestroy(run) ? 'run.destroyed' : 'run.applied', { metadata: { stateVersionId, outputId } });
    if (isDestroy(run)) recordDestroyed(run);
  }

  /** Addresses that the reviewed plan imported. */
  const importsOf = ({ planRunId }: ApplyRun): string[] =>
    (deps.store.findDocument(planRunId)?.resources ?? []).flatMap(({ address, importing }) =>
      importing === undefined ? [] : [address],
    );

  function recordDestroyed(run: ApplyRun): void {
    deps.activity.record({
      workspaceId: run.workspaceId,
      action: 'capsule.destroyed',
      targetType: 'capsule',
      targetId: run.capsuleId,
      runId: run.id,
      metadata: { name: run.capsuleName ?? '' },
    });
    // Queued Runs of a destroyed Capsule are ended.
    for (const waiting of runs.store.listWaiting(run.capsuleId)) {
      runs.move(waiting.id, 'cancel', { items: [auditItem(`${runKindOf(waiting)}.cancelled`, clock.now())] });
      recordActivity(waiting, 'run.cancelled');
    }
  }

  /** Counts the changes that an apply reported before it failed. */
  const reachedBy = (runId: string): PlanSummary => summaryOf(runs.feed.countCompleted(runId));

  function fail(run: ApplyRun, end: ApplyEnd, left: readonly FeedItem[]): void {
    const { errorCode, providerDispatched, unreported } = end;
    const now = clock.now();
    endCommit(run.id);
    // After a change that was not reviewed, a person decides about each update.
    if (end.hasDeviated) capsules.stopAutoUpdate(run.capsuleId);
    runs.move(run.id, 'fail', {
      set: { errorCode, ...(providerDispatched && { applied: reachedBy(run.id) }) },
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [
        ...(unreported === undefined ? [] : [failureItem(now, errorCode, unreported)]),
        ...left,
        auditItem(endEventOf(run, 'failed'), now, {
          data: { errorCode, providerDispatched, providerApplySucceeded: false },
        }),
      ],
    });
    recordActivity(run, 'run.failed', { metadata: { errorCode } });
  }

  /** Ends a Run because an action did not succeed, which is in the feed, or because of another failure around them. */
  function failActions(run: ApplyRun, { wasApplied, failure }: ActionsFailure): void {
    const { code: errorCode = 'capsule_lifecycle_action_failed' } = failure ?? {};
    runs.move(run.id, 'fail', {
      set: { errorCode, ...(wasApplied && { applied: reachedBy(run.id) }) },
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [
        ...(failure ? [failureItem(clock.now(), failure.code, failure.message)] : []),
        auditItem(endEventOf(run, 'failed'), clock.now(), {
          data: { errorCode, providerDispatched: wasApplied, providerApplySucceeded: wasApplied },
        }),
      ],
    });
    recordActivity(run, 'run.failed', { metadata: { errorCode } });
  }

  return { endCommit, succeed, fail, failActions };
}

function summaryOf(counts: ReadonlyMap<string, number>): PlanSummary {
  const count = (action: PlanAction) => counts.get(action) ?? 0;
  return { add: count('create'), change: count('update'), destroy: count('delete') };
}
