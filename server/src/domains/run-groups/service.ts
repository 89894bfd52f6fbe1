import type { ActivityService } from '#server/domains/activity/index';
import type { AppliesService } from '#server/domains/applies/index';
import type { PlansService } from '#server/domains/plans/index';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import type { Cursors } from '#server/kernel/page';
import { type ApplyInput, applyMembers, cancelRest } from './apply-members.ts';
import { createGroupCreation } from './creation.ts';
import { createGroupRows, type GroupAnswer } from './group-rows.ts';
import { type CreationPorts, createGroupRuns } from './group-runs.ts';
import { type GroupQuery, listGroups } from './list-groups.ts';
import { refusalOf, requireEach } from './member-refusals.ts';
import { createRetry } from './retry.ts';

export type RunGroupsService = ReturnType<typeof createRunGroupsService>;

type Deps = CreationPorts & {
  cursors: Cursors;
  plans: Pick<PlansService, 'approve' | 'findUncheckedModule' | 'createPlan' | 'createRefused'>;
  applies: Pick<AppliesService, 'apply'>;
  activity: Pick<ActivityService, 'record'>;
};

type ApproveInput = { actorId: string; reason?: string | undefined; runIds?: readonly string[] | undefined };

/** Manages Runs that are requested together: for every stale Capsule, or for every applied Capsule. */
export function createRunGroupsService(deps: Deps) {
  const { db, store, runs, plans } = deps;
  const rows = createGroupRows(deps);
  const { getRow, answerOf, record } = rows;
  const { create, propose } = createGroupRuns({ ...deps, rows });
  runs.onLeave((run) => cancelRest(run, deps));

  function approveWaiting(id: string, input: Omit<ApproveInput, 'runIds'>): number {
    const waiting = runs.listGroup(id).filter(({ status }) => status === 'waiting_approval');
    const refusals = waiting.flatMap(({ id: runId }) => refusalOf(() => plans.approve(runId, input)) ?? []);
    if (refusals.length < waiting.length) return waiting.length - refusals.length;
    throw (
      refusals[0] ??
      failedPrecondition('nothing_to_approve', 'No plan of this group waits for approval. Reload the group.')
    );
  }

  function approveNamed(id: string, runIds: readonly string[], input: Omit<ApproveInput, 'runIds'>): number {
    const named = new Set(runIds);
    const members = runs.listGroup(id).filter((run) => named.has(run.id));
    if (members.length < named.size) throw notFound('Run in this group');
    requireEach([...named], (runId) => void plans.approve(runId, input));
    return named.size;
  }

  return {
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId,
    get: (id: string): GroupAnswer => answerOf(getRow(id)),
    list: (workspaceId: string, query: GroupQuery) => listGroups(deps, workspaceId, query),
    ...createGroupCreation({ ...deps, create }),
    ...createRetry({ ...deps, rows, propose }),

    /**
     * Approves every member that waits and may be approved. Throws 409 `nothing_to_approve`, or the reason of the first
     * refusal when no member may be approved. With `runIds` it approves exactly these, or none and names each refusal.
     */
    approve(id: string, { runIds, ...input }: ApproveInput): GroupAnswer {
      return db.write(() => {
        const row = getRow(id);
        const approved = runIds ? approveNamed(id, runIds, input) : approveWaiting(id, input);
        record(row, 'run_group.approved', input.actorId, { approved });
        return answerOf(row);
      });
    },

    /** Queues the apply of each named plan, producers first, or of none: 409 with every refusal in its details. */
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
