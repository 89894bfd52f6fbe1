import type { ActivityService } from '#server/domains/activity/index';
import type { AppliesService } from '#server/domains/applies/index';
import { type CapsuleRow, findHold } from '#server/domains/capsules/index';
import type { ServerTool } from '#server/domains/execution/index';
import type { PlansService } from '#server/domains/plans/index';
import { auditItem, createRunRecorder, type RunsService, warningItem } from '#server/domains/runs/index';
import type { InspectionService } from '#server/domains/sources/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { required } from '#server/kernel/required';
import type { ActivityAction } from '#shared/activity/actions';
import { localPool } from '#shared/runs/contract';
import { findReviewReason, type ReviewPorts } from './review.ts';
import { type ReviewReason, reviewReasons } from './review-reason.ts';
import type { UpdateRow, UpdatesStore } from './store.ts';

export type UpdatePorts = ReviewPorts & {
  db: Db;
  clock: Clock;
  store: UpdatesStore;
  runs: RunsService;
  inspection: Pick<InspectionService, 'check' | 'findNewestReport' | 'getReport'>;
  plans: Pick<PlansService, 'createPlan'>;
  applies: Pick<AppliesService, 'apply'>;
  activity: Pick<ActivityService, 'record'>;
  /** Returns the tool of this machine, or why it has none. */
  findTool: () => Promise<ServerTool>;
  /** Returns the pool of the next Run of a Capsule. */
  poolOfNext: (capsuleId: string) => string;
};

const actorId = 'system';

/** A Run in `local` needs a tool on the machine of the server. */
const lacksTool = (poolId: string, tool: ServerTool): boolean => 'unavailableReason' in tool && poolId === localPool;

/** Reports whether a Capsule is updated automatically now. */
export const isWanted = ({ autoUpdate, status }: CapsuleRow): boolean =>
  autoUpdate === true && (status === 'active' || status === 'stale');

/** Takes the next step of an update: its plan, its apply, or its end. */
export function createUpdateSteps(deps: UpdatePorts) {
  const ends = createUpdateEnds(deps);
  const plan = createPlanStep(deps, ends);
  const { afterPlan, afterApply } = createApplySteps(deps, ends);

  return async function advance(row: UpdateRow): Promise<void> {
    if (row.step === 'wanted') await plan(row);
    if (row.step === 'planned') await afterPlan(row);
    if (row.step === 'applying') afterApply(row);
  };
}

type UpdateEnds = ReturnType<typeof createUpdateEnds>;

function createUpdateEnds({ store, capsules, activity }: UpdatePorts) {
  const end = (row: UpdateRow): void => store.move(row, { step: 'done' });

  function fail(row: UpdateRow, action: ActivityAction, metadata: Record<string, unknown>): void {
    end(row);
    const { workspaceId } = capsules.getRow(row.capsuleId);
    const sourceSnapshotId = row.snapshotId;
    activity.record({
      workspaceId,
      action,
      targetType: 'capsule',
      targetId: row.capsuleId,
      ...(row.runId !== null && { runId: row.runId }),
      metadata: { sourceSnapshotId, ...metadata },
    });
  }

  return { end, fail };
}

function createPlanStep({ db, clock, store, runs, capsules, ...deps }: UpdatePorts, { end, fail }: UpdateEnds) {
  const isHeld = (capsule: CapsuleRow) => findHold(capsule, clock.now()) !== undefined;

  /**
   * Checks the new snapshot and plans it. Waits while the Capsule is held, another Run of it is active, or no tool is
   * installed.
   */
  return async function plan(row: UpdateRow): Promise<void> {
    const capsule = capsules.getRow(row.capsuleId);
    if (!isWanted(capsule)) return db.write(() => end(row));
    const tool = await deps.findTool();
    if (lacksTool(deps.poolOfNext(row.capsuleId), tool) || isHeld(capsule) || runs.findActive(row.capsuleId)) return;
    const { installConfigId, sourceId } = capsule;
    const { modulePath } = deps.configs.getPrivate(installConfigId);
    const checkInput = { sourceId, sourceSnapshotId: row.snapshotId, modulePath, installConfigId, actorId };
    try {
      const commit = await deps.inspection.check(checkInput);
      db.write(() => {
        const current = capsules.getRow(row.capsuleId);
        if (store.find(row)?.step !== 'wanted' || !isWanted(current) || isHeld(current)) return;
        const { id: reportId } = commit().report;
        const { id: runId } = deps.plans.createPlan(row.capsuleId, { actorId, reportId, tool });
        store.move(row, { step: 'planned', runId });
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      db.write(() => fail(row, 'capsule.auto_update_failed', { reason: error.details?.reason ?? error.code }));
    }
  };
}

function createApplySteps(deps: UpdatePorts, { end, fail }: UpdateEnds) {
  const { db, clock, store, runs, capsules } = deps;

  async function afterPlan(row: UpdateRow): Promise<void> {
    const run = runs.getRecord(required(row.runId, 'Run of the update'));
    if (run.status === 'queued' || run.status === 'running') return;
    if (run.status === 'failed')
      return db.write(() => fail(row, 'capsule.auto_update_failed', { reason: run.errorCode }));
    // Cancelled, expired, waiting for an approval, obsolete, or handled by a person: no automatic step follows.
    const isTheirs = run.status !== 'succeeded' || run.applyRunId !== null || runs.findNewerPlan(run) !== undefined;
    if (isTheirs) return db.write(() => end(row));
    if (findHold(capsules.getRow(row.capsuleId), clock.now()))
      return db.write(() => store.move(row, { step: 'wanted' }));
    const reviewReason = findReviewReason(deps, row, run);
    if (reviewReason) return db.write(() => leave(row, reviewReason));
    const tool = await deps.findTool();
    if (!lacksTool(run.runnerPool, tool)) apply(row, tool);
  }

  function apply(row: UpdateRow, tool: ServerTool): void {
    const planId = required(row.runId, 'Run of the update');
    try {
      db.write(() => {
        const capsule = capsules.getRow(row.capsuleId);
        if (!isWanted(capsule)) return end(row);
        if (findHold(capsule, clock.now())) return store.move(row, { step: 'wanted' });
        const { run } = deps.applies.apply(planId, { actorId, tool });
        store.move(row, { step: 'applying', runId: run.id });
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      db.write(() => fail(row, 'capsule.auto_update_apply_failed', { reason: error.details?.reason ?? error.code }));
    }
  }

  /** Leaves the plan for a person, with the reason in its feed. */
  function leave(row: UpdateRow, reason: ReviewReason): void {
    end(row);
    const now = clock.now();
    const run = runs.getRecord(required(row.runId, 'Run of the update'));
    createRunRecorder(deps.activity)(run, 'run.left_to_person');
    runs.append(run.id, [
      auditItem('auto_update.left_to_person', now, { data: { reason } }),
      warningItem(now, 'auto_update_waits', `${reviewReasons[reason]}  Review the plan, then apply it.`),
    ]);
  }

  function afterApply(row: UpdateRow): void {
    const run = runs.getRecord(required(row.runId, 'Run of the update'));
    if (run.status === 'queued' || run.status === 'running') return;
    db.write(() => {
      // The Capsule was held before the apply started: the update is planned again when the hold ends.
      if (run.errorCode === 'capsule_held') store.move(row, { step: 'wanted' });
      else if (run.status === 'failed') fail(row, 'capsule.auto_update_apply_failed', { reason: run.errorCode });
      else end(row);
    });
  }

  return { afterPlan, afterApply };
}
