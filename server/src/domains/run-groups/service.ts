import type { ActivityService } from '#server/domains/activity/index';
import type { AppliesService } from '#server/domains/applies/index';
import type { GroupPosition, PlansService, WaitsFor } from '#server/domains/plans/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Cursors } from '#server/kernel/page';
import { limits } from '#shared/limits';
import type { RunGroup, RunGroupGraph, RunGroupType } from '#shared/run-groups/contract';
import { isApplyType, type Run, type RunRow } from '#shared/runs/contract';
import { aggregateStatus } from './aggregate-status.ts';
import { type ApplyInput, applyMembers, cancelRest } from './apply-members.ts';
import { type CommitCheck, prepareChecks } from './checks.ts';
import { layersOf, type Use, withConsumers } from './layers.ts';
import { type GroupQuery, listGroups } from './list-groups.ts';
import type { GroupRow, RunGroupsStore } from './store.ts';

export type RunGroupsService = ReturnType<typeof createRunGroupsService>;
export type GroupAnswer = { runGroup: RunGroup; runs: RunRow[] };
type GroupAction = 'run_group.created' | 'run_group.approved' | 'run_group.applied';
type GroupInput = { workspaceId: string; actorId: string; tool: ToolIdentity };
/** Input for a new group; plans of the newest snapshots include their missing compatibility reports. */
type Proposal = GroupInput & { commitCheck?: CommitCheck; uses?: readonly Use[] };
type MemberGroup = GroupPosition & WaitsFor;
type Member = Proposal & { type: RunGroupType };

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  store: RunGroupsStore;
  runs: RunsService;
  plans: Pick<PlansService, 'createPlan' | 'createRefused' | 'approve' | 'findUncheckedModule'>;
  applies: Pick<AppliesService, 'apply'>;
  inspection: Pick<InspectionService, 'check'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  activity: Pick<ActivityService, 'record'>;
};

/** Manages Runs that are requested together: for every stale Capsule, or for every applied Capsule. */
export function createRunGroupsService(deps: Deps) {
  const { db, clock, store, runs, plans, workspaces, activity } = deps;
  runs.onLeave((run) => cancelRest(run, deps));

  function getRow(id: string): GroupRow {
    const row = store.find(id);
    if (!row) throw notFound('RunGroup');
    return row;
  }

  const answerOf = (row: GroupRow): GroupAnswer => describe(row, runs.listGroup(row.id));

  function describe(row: GroupRow, members: RunRow[]): GroupAnswer {
    const graph: RunGroupGraph = {
      order: row.layers,
      runs: Object.fromEntries(
        members.flatMap(({ capsuleId, id, type }) => (isApplyType(type) ? [] : [[capsuleId ?? '', id]])),
      ),
    };
    const { id, workspaceId, type, createdAt } = row;
    return {
      runGroup: {
        id,
        workspaceId,
        type,
        ...aggregateStatus(members),
        graphJson: JSON.stringify(graph),
        createdAt: isoTime(createdAt),
      },
      runs: members,
    };
  }

  const record = (row: Pick<GroupRow, 'id' | 'workspaceId'>, action: GroupAction, actorId: string, metadata: object) =>
    activity.record({
      workspaceId: row.workspaceId,
      actorId,
      action,
      targetType: 'run_group',
      targetId: row.id,
      metadata: { ...metadata },
    });

  /** Creates a group with a Run of each Capsule, in one transaction; a Capsule that cannot be planned has a failed Run with the reason. */
  function create(type: RunGroupType, layers: string[][], proposal: Proposal): GroupAnswer {
    const { workspaceId, actorId, uses = [] } = proposal;
    const row = { id: newId('runGroup'), workspaceId, type, createdBy: actorId, layers };
    store.insert({ ...row, createdAt: clock.now() });
    const producersOf = Map.groupBy(uses, ({ consumerId }) => consumerId);
    const runIds = new Map<string, string>();
    for (const [groupLayer, capsuleIds] of layers.entries())
      for (const capsuleId of capsuleIds) {
        const waitsFor = (producersOf.get(capsuleId) ?? []).flatMap(({ producerId }) => runIds.get(producerId) ?? []);
        const group = { runGroupId: row.id, groupLayer, waitsFor };
        runIds.set(capsuleId, propose(capsuleId, group, { ...proposal, type }).id);
      }
    record(row, 'run_group.created', actorId, { type, capsules: runIds.size, layers: layers.length });
    return answerOf(getRow(row.id));
  }

  function propose(capsuleId: string, group: MemberGroup, { type, commitCheck, actorId, tool }: Member): Run {
    const kind = type === 'workspace_drift_check' ? ('drift_check' as const) : ('plan' as const);
    const planInput = { actorId, tool, group, type: kind };
    try {
      commitCheck?.(capsuleId);
      return plans.createPlan(capsuleId, planInput);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return plans.createRefused(capsuleId, planInput, error);
    }
  }

  /** Returns the stale Capsules and their transitive consumers, and the dependencies between them. */
  function requireBehind(workspaceId: string) {
    workspaces.requireLive(workspaceId);
    const uses = store.listUses(workspaceId);
    const living = store.listCapsules(workspaceId, ['active', 'stale', 'error']);
    const behind = living.filter(({ status }) => status === 'stale').map(({ id }) => id);
    if (behind.length === 0) {
      throw failedPrecondition(
        'nothing_to_update',
        'nothing_to_update: no Capsule of this Workspace is stale. Sync a Source, or apply a Capsule whose Outputs others use.',
      );
    }
    const reached = withConsumers(behind, uses);
    return { members: living.map(({ id }) => id).filter((id) => reached.has(id)), uses };
  }

  return {
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId,
    get: (id: string): GroupAnswer => answerOf(getRow(id)),
    list: (workspaceId: string, query: GroupQuery) => listGroups({ ...deps, describe }, workspaceId, query),

    /**
     * Checks the newest snapshots that have no compatibility report. The returned function plans every stale Capsule and
     * its consumers, in the transaction of the caller. 409 `nothing_to_update`.
     */
    async planUpdate(input: GroupInput): Promise<() => GroupAnswer> {
      const commitCheck = await prepareChecks(deps, requireBehind(input.workspaceId).members, input.actorId);
      return () =>
        db.write(() => {
          const { members, uses } = requireBehind(input.workspaceId);
          return create('workspace_update', layersOf(members, uses), { ...input, commitCheck, uses });
        });
    },

    /**
     * Plans drift checks of applied Capsules; those checked least recently come first. 409 `nothing_to_drift_check`.
     */
    checkDrift({ limit = limits.pageMax, ...input }: GroupInput & { limit?: number | undefined }): GroupAnswer {
      return db.write(() => {
        workspaces.requireLive(input.workspaceId);
        const checked = runs.store.listLastOf(input.workspaceId, 'drift_check');
        const applied = store.listCapsules(input.workspaceId, ['active', 'stale']).map(({ id }) => id);
        if (applied.length === 0) {
          throw failedPrecondition(
            'nothing_to_drift_check',
            'nothing_to_drift_check: no Capsule of this Workspace is active or stale. Apply one first.',
          );
        }
        const longest = applied.sort((one, other) => (checked.get(one) ?? 0) - (checked.get(other) ?? 0));
        return create('workspace_drift_check', [longest.slice(0, limit)], input);
      });
    },

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
          throw refusals[0] ?? failedPrecondition('nothing_to_approve', 'No plan of this group waits for an approval.');
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
