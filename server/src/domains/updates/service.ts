import type { ActivityService } from '#server/domains/activity/index';
import type { AppliesService } from '#server/domains/applies/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { PlansService } from '#server/domains/plans/index';
import { auditItem, type RunRecord, type RunsService, warningItem } from '#server/domains/runs/index';
import type { InspectionService, RootEvidence, SourcesService } from '#server/domains/sources/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import { type ReviewReason, reviewReasonOf, reviewReasons } from './review-reason.ts';
import type { UpdateRow, UpdatesStore } from './store.ts';

export type AutoUpdates = ReturnType<typeof createAutoUpdates>;

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  outbox: Pick<Outbox, 'listen'>;
  store: UpdatesStore;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  inspection: Pick<InspectionService, 'check' | 'findNewestReport' | 'getReport'>;
  plans: Pick<PlansService, 'createPlan'>;
  applies: Pick<AppliesService, 'apply'>;
  activity: Pick<ActivityService, 'record'>;
  /** Returns the tool of the machine, if there is one. */
  findTool: () => Promise<ToolIdentity | undefined>;
  /** Returns the digest of the provider lock that was applied or approved last. */
  findReviewedLock: (capsuleId: string) => string | undefined;
};

const actorId = 'system';

/**
 * Updates Capsules with automatic updates to the newest commit of their lane: one plan per snapshot. It is applied
 * automatically only when it needs no approval and would run nothing new. Each step is stored, so that a restart
 * resumes it.
 */
export function createAutoUpdates(deps: Deps) {
  const { db, clock, store, runs, capsules } = deps;
  let isStopped = false;
  let isAwake = false;
  let work: Promise<void> = Promise.resolve();

  const isWanted = ({ autoUpdate, status }: CapsuleRow): boolean =>
    autoUpdate === true && (status === 'active' || status === 'stale');
  const end = (row: UpdateRow): void => store.move(row, { step: 'done' });

  function fail(row: UpdateRow, action: ActivityAction, metadata: Record<string, unknown>): void {
    end(row);
    const { workspaceId } = capsules.getRow(row.capsuleId);
    const sourceSnapshotId = row.snapshotId;
    deps.activity.record({
      workspaceId,
      action,
      targetType: 'capsule',
      targetId: row.capsuleId,
      ...(row.runId !== null && { runId: row.runId }),
      metadata: { sourceSnapshotId, ...metadata },
    });
  }

  /** Checks the new snapshot and plans it. Waits while another Run of the Capsule is active or no tool is installed. */
  async function plan(row: UpdateRow): Promise<void> {
    const capsule = capsules.getRow(row.capsuleId);
    if (!isWanted(capsule)) return db.write(() => end(row));
    const tool = await deps.findTool();
    if (!tool || runs.findActive(row.capsuleId)) return;
    const { installConfigId, sourceId } = capsule;
    const { modulePath } = deps.configs.getPrivate(installConfigId);
    const checkInput = { sourceId, sourceSnapshotId: row.snapshotId, modulePath, installConfigId, actorId };
    try {
      const commit = await deps.inspection.check(checkInput);
      db.write(() => {
        if (store.find(row)?.step !== 'wanted' || !isWanted(capsules.getRow(row.capsuleId))) return;
        const { id: reportId } = commit().report;
        const { id: runId } = deps.plans.createPlan(row.capsuleId, { actorId, reportId, tool });
        store.move(row, { step: 'planned', runId });
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      db.write(() => fail(row, 'capsule.auto_update_failed', { reason: error.details?.reason ?? error.code }));
    }
  }

  async function afterPlan(row: UpdateRow): Promise<void> {
    const run = runs.getRecord(row.runId ?? '');
    if (run.status === 'queued' || run.status === 'running') return;
    if (run.status === 'failed')
      return db.write(() => fail(row, 'capsule.auto_update_failed', { reason: run.errorCode }));
    // Cancelled, expired, waiting for an approval, obsolete, or handled by a person: no automatic step follows.
    const isTheirs = run.status !== 'succeeded' || run.applyRunId !== null || runs.findNewerPlan(run) !== undefined;
    if (isTheirs) return db.write(() => end(row));
    const reviewReason = findReviewReason(row, run);
    if (reviewReason) return db.write(() => leave(row, reviewReason));
    const tool = await deps.findTool();
    if (tool) apply(row, tool);
  }

  function apply(row: UpdateRow, tool: ToolIdentity): void {
    const planId = row.runId ?? '';
    try {
      db.write(() => {
        if (!isWanted(capsules.getRow(row.capsuleId))) return end(row);
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
    runs.append(row.runId ?? '', [
      auditItem('auto_update.left_to_person', now, { data: { reason } }),
      warningItem(now, 'auto_update_waits', `${reviewReasons[reason]}  Review the plan, then apply it.`),
    ]);
  }

  function findReviewReason({ capsuleId }: UpdateRow, run: RunRecord): ReviewReason | undefined {
    const capsule = capsules.getRow(capsuleId);
    if (run.facts.providerLockDigest !== deps.findReviewedLock(capsuleId)) return 'lock_changed';
    const { modulePath, parts } = deps.configs.getPrivate(capsule.installConfigId);
    const sideOf = (snapshotId: string | undefined) => {
      const snapshot = snapshotId === undefined ? undefined : deps.sources.findSnapshot(snapshotId);
      const report = snapshot && deps.inspection.findNewestReport(snapshot.id, modulePath);
      const programs = (report?.rootView as RootEvidence | undefined)?.programs;
      return snapshot && report && { snapshot, report: report.report, programs };
    };
    const after = sideOf(run.facts.sourceSnapshotId);
    if (!after) return 'unknown_before';
    const before = sideOf(capsule.adoptedSourceRevision?.sourceSnapshotId);
    const { planResources: changes = [] } = run.detail;
    const { add = 0, change = 0, destroy = 0 } = run.facts.summary ?? {};
    const isListedWhole = add + change + destroy <= changes.length;
    return reviewReasonOf(before, after, { changes, isListedWhole, builds: parts.sourceBuild !== undefined });
  }

  function afterApply(row: UpdateRow): void {
    const run = runs.getRecord(row.runId ?? '');
    if (run.status === 'queued' || run.status === 'running') return;
    db.write(() => {
      if (run.status === 'failed') fail(row, 'capsule.auto_update_apply_failed', { reason: run.errorCode });
      else end(row);
    });
  }

  async function advance(row: UpdateRow): Promise<void> {
    if (row.step === 'wanted') await plan(row);
    if (row.step === 'planned') await afterPlan(row);
    if (row.step === 'applying') afterApply(row);
  }

  async function advanceAll(): Promise<void> {
    for (const row of store.listOpen()) {
      if (isStopped) return;
      // One Capsule that fails does not block others; the next event retries it.
      await advance(row).catch((error) => deps.log.error(faultFields(error), 'an automatic update could not continue'));
    }
  }

  function wake(): void {
    if (isAwake || isStopped) return;
    isAwake = true;
    work = work.then(async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      isAwake = false;
      try {
        if (!isStopped) await advanceAll();
      } catch (error) {
        // Rows that cannot be read now are read again at the next event.
        deps.log.error(faultFields(error), 'automatic updates could not continue');
      }
    });
  }

  const unsubscribe = deps.outbox.listen(({ kind, status }) => {
    if (kind === 'source' || (kind === 'run' && status !== 'queued' && status !== 'running')) wake();
  });

  return {
    start: wake,
    async stop() {
      isStopped = true;
      unsubscribe();
      await work;
    },
    /**
     * Called in the transaction of an `observe` sync: queues updates of the stale Capsules that have automatic updates
     * enabled.
     */
    want(behind: readonly CapsuleRow[], snapshotId: string): void {
      for (const { id } of behind) {
        if (isWanted(capsules.getRow(id))) store.want({ capsuleId: id, snapshotId, createdAt: clock.now() });
      }
    },
  };
}
