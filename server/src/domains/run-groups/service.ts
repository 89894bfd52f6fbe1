import type { ActivityService } from '#server/domains/activity/index';
import type { AppliesService } from '#server/domains/applies/index';
import type { PlansService } from '#server/domains/plans/index';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { Cursors } from '#server/kernel/page';
import { type ApplyInput, applyMembers, cancelRest } from './apply-members.ts';
import { type CreationPorts, createGroupCreation } from './creation.ts';
import { createGroupRows, type GroupAnswer } from './group-rows.ts';
import { type GroupQuery, listGroups } from './list-groups.ts';

export type RunGroupsService = ReturnType<typeof createRunGroupsService>;

type Deps = CreationPorts & {
  cursors: Cursors;
  plans: Pick<PlansService, 'approve' | 'findUncheckedModule' | 'createPlan' | 'createRefused'>;
  applies: Pick<AppliesService, 'apply'>;
  activity: Pick<ActivityService, 'record'>;
};

/** Manages Runs that are requested together: for every stale Capsule, or for every applied Capsule. */
export function createRunGroupsService(deps: Deps) {
  const { db, store, runs, plans } = deps;
  const rows = createGroupRows(deps);
  const { getRow, answerOf, describe, record } = rows;
  runs.onLeave((run) => cancelRest(run, deps));

  return {
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId,
    get: (id: string): GroupAnswer => answerOf(getRow(id)),
    list: (workspaceId: string, query: GroupQuery) => listGroups({ ...deps, describe }, workspaceId, query),
    ...createGroupCreation({ ...deps, rows }),

    /**
     * Approves every member that waits and may be approved. Throws 409 `nothing_to_approve`, or the reason of the first
     * refusal when no member may be approved.
     */
    approve(id: string, input: { actorId: string; reason?: string | undefined }): GroupAnswer {
      return db.write(() => {
        const row = getRow(id);
        const waiting = runs.listGroup(id).filter(({ status }) => status === 'waiting_approval');
        const refusals = waiting.flatMap(({ id: runId }) => refusalOf(() => plans.approve(runId, input)) ?? []);
        const approved = waiting.length - refusals.length;
        if (approved === 0)
          throw (
            refusals[0] ??
            failedPrecondition('nothing_to_approve', 'No plan of this group waits for approval. Reload the group.')
          );
        record(row, 'run_group.approved', input.actorId, { approved });
        return answerOf(row);
      });
    },

    /** Queues the apply of each named plan, producers first, or of none: 409 with the reason of the first refusal. */
    apply(id: string, input: ApplyInput): GroupAnswer {
      return db.write(() => {
        const row = getRow(id);
        const applied = applyMembers(id, input, deps);
        if (applied > 0) record(row, 'run_group.applied', input.actorId, { applied });
        return answerOf(row);
      });
    },
  };
}

function refusalOf(work: () => unknown): AppError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
