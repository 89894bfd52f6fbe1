import type { GroupPosition, PlansService, WaitsFor } from '#server/domains/plans/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { limits } from '#shared/limits';
import type { RunGroupType } from '#shared/run-groups/contract';
import type { Run } from '#shared/runs/contract';
import { type CommitCheck, prepareChecks } from './checks.ts';
import type { GroupAnswer, GroupRows } from './group-rows.ts';
import { layersOf, type Use, withConsumers } from './layers.ts';
import type { RunGroupsStore } from './store.ts';

type GroupInput = { workspaceId: string; actorId: string; tool: ToolIdentity };
/** Input for a new group; plans of the newest snapshots include their missing compatibility reports. */
type Proposal = GroupInput & { commitCheck?: CommitCheck; uses?: readonly Use[] };
type MemberGroup = GroupPosition & WaitsFor;
type Member = Proposal & { type: RunGroupType };

export type CreationPorts = {
  db: Db;
  clock: Clock;
  store: RunGroupsStore;
  runs: RunsService;
  plans: Pick<PlansService, 'createPlan' | 'createRefused' | 'findUncheckedModule'>;
  inspection: Pick<InspectionService, 'check'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
};

type Deps = CreationPorts & { rows: GroupRows };

/** Creates groups: of the plans of stale Capsules, and of drift checks. */
export function createGroupCreation(deps: Deps) {
  const { db, store, runs, workspaces } = deps;
  const create = createGroup(deps);

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
  };
}

function createGroup({ clock, store, plans, rows }: Deps) {
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

  /** Creates a group with a Run of each Capsule, in one transaction; a Capsule that cannot be planned has a failed Run with the reason. */
  return function create(type: RunGroupType, layers: string[][], proposal: Proposal): GroupAnswer {
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
    rows.record(row, 'run_group.created', actorId, { type, capsules: runIds.size, layers: layers.length });
    return rows.answerOf(rows.getRow(row.id));
  };
}
