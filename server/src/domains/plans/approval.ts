import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import { auditItem, createRunRecorder, type RunRecord, type RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { requirePlain } from '#server/kernel/plain-text';
import type { Run } from '#shared/runs/contract';
import { refusalOf, requireAll, reviewChecks } from './review-checks.ts';

type Deps = {
  db: Db;
  clock: Clock;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
  activity: Pick<ActivityService, 'record'>;
};

/** The approval of a plan by a person. */
export function createApproval(deps: Deps) {
  const { db, clock, runs } = deps;
  const recordActivity = createRunRecorder(deps.activity);

  /** Reports whether a policy requires that someone other than this account approves the plan. */
  function needsOther({ workspaceId, capsuleId, createdBy }: RunRecord, accountId: string): boolean {
    if (capsuleId === null || createdBy !== accountId) return false;
    const { installConfigId } = deps.capsules.getRow(capsuleId);
    return [deps.workspaces.findPolicy(workspaceId), deps.configs.getPrivate(installConfigId).policy].some(
      ({ approval }) => approval?.requireSecondPerson === true,
    );
  }

  /**
   * Approves a plan that waits for a person; a plan that is approved already stays as it is. 409 with the reason when
   * this person may not approve it now, 400 for a reason that looks like a credential.
   */
  function approve(runId: string, { actorId, reason }: { actorId: string; reason?: string | undefined }): Run {
    return db.write(() => {
      const run = runs.getRecord(runId);
      if (run.facts.approval && run.status !== 'waiting_approval') return runs.getRun(runId);
      if (run.capsuleId === null) throw refusalOf('nothing_to_approve');
      requirePlain('reason', reason);
      const now = clock.now();
      const capsule = deps.capsules.getRow(run.capsuleId);
      requireAll([
        ['nothing_to_approve', run.status !== 'waiting_approval'],
        ...reviewChecks(run, { capsule, runs, now }),
        ['second_person_required', () => needsOther(run, actorId)],
      ]);
      const reasonMember = reason === undefined ? {} : { reason };
      runs.move(runId, 'approve', {
        facts: { approval: { by: actorId, at: new Date(now).toISOString(), ...reasonMember } },
        items: [auditItem('plan.approved', now, { actor: actorId, ...(reason !== undefined && { data: { reason } }) })],
      });
      recordActivity(run, 'run.approved', { actorId });
      return runs.getRun(runId);
    });
  }

  return { approve, needsOther };
}
