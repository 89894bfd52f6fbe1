import type { ServerTool } from '#server/domains/execution/index';
import type { GroupPosition, PlansService, WaitsFor } from '#server/domains/plans/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { RunGroupType } from '#shared/run-groups/contract';
import type { Run } from '#shared/runs/contract';
import type { CommitCheck } from './checks.ts';
import type { GroupAnswer, GroupRows } from './group-rows.ts';
import type { Use } from './layers.ts';
import type { RunGroupsStore } from './store.ts';

export type GroupInput = { workspaceId: string; actorId: string; tool: ServerTool };
/** Input for a new group; plans of the newest snapshots include their missing compatibility reports. */
type Proposal = GroupInput & { commitCheck?: CommitCheck | undefined; uses?: readonly Use[] };
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

export type GroupRuns = ReturnType<typeof createGroupRuns>;

/** Writes groups and the Runs of their members. */
export function createGroupRuns({ clock, store, plans, rows }: CreationPorts & { rows: GroupRows }) {
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
    rows.record(row, 'run_group.created', actorId, { type, capsules: runIds.size, layers: layers.length });
    return rows.answerOf(rows.getRow(row.id));
  }

  return { create, propose };
}
