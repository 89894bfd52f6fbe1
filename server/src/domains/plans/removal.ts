import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { ServerTool } from '#server/domains/execution/index';
import type { RunsService } from '#server/domains/runs/index';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import type { Capsule } from '#shared/capsules/contract';
import type { Run } from '#shared/runs/contract';
import type { Proposals } from './proposals.ts';

type Deps = {
  db: Db;
  runs: Pick<RunsService, 'findBlocking' | 'supersede'>;
  capsules: Pick<CapsulesService, 'getRow' | 'getCapsule' | 'move'>;
  activity: Pick<ActivityService, 'record'>;
  createPlan: Proposals['create'];
};

/** Ways to remove a Capsule: a destroy plan, or discarding one that never dispatched a provider. */
export function createRemoval({ db, runs, capsules, activity, createPlan }: Deps) {
  function requireIdle(capsuleId: string): void {
    if (!runs.findBlocking(capsuleId)) return;
    const message = 'A Run of this Capsule is queued or running. Cancel it or wait for its end.';
    throw failedPrecondition('run_in_progress', message);
  }

  return {
    /** Reports whether a Capsule needs a destroy plan: resources were created and still exist. */
    isApplied(capsuleId: string): boolean {
      const { status, currentStateVersionId } = capsules.getRow(capsuleId);
      return status !== 'destroyed' && currentStateVersionId !== null;
    },

    /**
     * Discards a Capsule that never dispatched a provider. 409 `run_in_progress`, or `capsule_owned_resources_pending`
     * when a provider may have changed resources.
     */
    discard(capsuleId: string, actorId: string): { capsule: Capsule; abandoned?: true; alreadyDeleted?: true } {
      return db.write(() => {
        const { status, workspaceId } = capsules.getRow(capsuleId);
        if (status === 'destroyed') return { capsule: capsules.getCapsule(capsuleId), alreadyDeleted: true };
        requireIdle(capsuleId);
        if (status !== 'pending') {
          const message =
            'A provider may have changed resources and no state was stored. Plan again to see what exists.';
          throw failedPrecondition('capsule_owned_resources_pending', message);
        }
        const capsule = capsules.move(capsuleId, 'abandon');
        runs.supersede(capsuleId, 'authority_epoch');
        const target = { targetType: 'capsule' as const, targetId: capsuleId };
        activity.record({ workspaceId, actorId, action: 'capsule.abandoned', ...target });
        return { capsule, abandoned: true };
      });
    },

    /** Creates a destroy plan for an applied Capsule, which a person has to approve. */
    planRemoval(capsuleId: string, input: { actorId: string; tool: ServerTool }): Run {
      return db.write(() => {
        requireIdle(capsuleId);
        return createPlan(capsuleId, { ...input, type: 'destroy_plan' });
      });
    },
  };
}
