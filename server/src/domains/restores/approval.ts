import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import { type PlansService, refusalOf } from '#server/domains/plans/index';
import {
  auditItem,
  createRunRecorder,
  isRestoreRun,
  type RestoreRun,
  type RunsService,
} from '#server/domains/runs/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import { requirePlain } from '#server/kernel/plain-text';
import type { Run } from '#shared/runs/contract';
import { requireGeneration, requireRestorable } from './refusals.ts';
import type { RestoresStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow'>;
  plans: Pick<PlansService, 'needsOther'>;
  activity: Pick<ActivityService, 'record'>;
  store: RestoresStore;
};

/**
 * Returns the function by which a person approves a restore, which queues it. A restore that is approved already stays
 * as it is. 409 with the reason when this person may not approve it now.
 */
export const createRestoreApproval = (deps: Deps) => {
  const { db, clock, runs } = deps;
  const recordActivity = createRunRecorder(deps.activity);

  function requireReady(run: RestoreRun, actorId: string): void {
    const now = clock.now();
    if ((run.planExpiresAt ?? 0) <= now)
      throw failedPrecondition('plan_expired', 'This restore waited too long for an approval. Request it again.');
    for (const { capsuleId, currentGeneration } of deps.store.listStates(run.id)) {
      const capsule = deps.capsules.getRow(capsuleId);
      requireRestorable(capsule, now);
      requireGeneration(capsule, currentGeneration);
      if (deps.plans.needsOther({ ...run, capsuleId }, actorId)) throw refusalOf('second_person_required');
    }
  }

  return (runId: string, { actorId, reason }: { actorId: string; reason?: string | undefined }): Run =>
    db.write(() => {
      const run = runs.getRecord(runId);
      if (run.facts.approval && run.status !== 'waiting_approval') return runs.getRun(runId);
      if (run.status !== 'waiting_approval' || !isRestoreRun(run)) throw refusalOf('nothing_to_approve');
      requirePlain('reason', reason);
      requireReady(run, actorId);
      const now = clock.now();
      const more = reason === undefined ? {} : { reason };
      runs.move(runId, 'approve', {
        facts: { approval: { by: actorId, at: isoTime(now), ...more } },
        items: [auditItem('restore.approved', now, { actor: actorId, ...(reason !== undefined && { data: more }) })],
      });
      recordActivity(run, 'run.approved', { actorId });
      return runs.getRun(runId);
    });
};
