import type { ActivityService } from '#server/domains/activity/index';
import { aggregateStatus, type RunsService } from '#server/domains/runs/index';
import { isoTime } from '#server/kernel/clock';
import { notFound } from '#server/kernel/errors';
import type { RunGroup, RunGroupGraph } from '#shared/run-groups/contract';
import { newestOfEach } from '#shared/run-groups/newest-of-each';
import { isApplyType, type RunRow } from '#shared/runs/contract';

import type { GroupRow, RunGroupsStore } from './store.ts';

export type GroupAnswer = { runGroup: RunGroup; runs: RunRow[] };
type GroupAction = 'run_group.created' | 'run_group.approved' | 'run_group.applied' | 'run_group.retried';

type Deps = {
  store: Pick<RunGroupsStore, 'find'>;
  runs: Pick<RunsService, 'listGroup'>;
  activity: Pick<ActivityService, 'record'>;
};

export type GroupRows = ReturnType<typeof createGroupRows>;

/** Reads groups with their members, and records what happens to them. */
export function createGroupRows({ store, runs, activity }: Deps) {
  function getRow(id: string): GroupRow {
    const row = store.find(id);
    if (!row) throw notFound('RunGroup');
    return row;
  }

  function answerOf(row: GroupRow): GroupAnswer {
    const members = runs.listGroup(row.id);
    return { runGroup: groupOf(row, members), runs: members };
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

  return { getRow, answerOf, record };
}

type GroupMember = Pick<RunRow, 'id' | 'capsuleId' | 'type' | 'status' | 'awaits' | 'finishedAt'>;

/** Returns the public form of a group. Its members are in the order in which they may start. */
export function groupOf(row: GroupRow, members: readonly GroupMember[]): RunGroup {
  const { id, workspaceId, type, layers: order, createdAt } = row;
  const plans = members.filter((member) => !isApplyType(member.type));
  const runs = Object.fromEntries(
    plans.flatMap((plan) => (plan.capsuleId === undefined ? [] : [[plan.capsuleId, plan.id]])),
  );
  const graph: RunGroupGraph = { order, runs };
  return {
    id,
    workspaceId,
    type,
    ...aggregateStatus(newestOfEach(members)),
    graphJson: JSON.stringify(graph),
    createdAt: isoTime(createdAt),
  };
}
