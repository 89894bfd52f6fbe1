import { isObjectAction } from '#shared/plans/change';
import type { PlanResourceRef, PlanSummary } from '#shared/plans/summary';
import { countObjectActions } from '#shared/plans/totals';
import type { ResourceView } from '../../../api/run-feed.ts';

export type RowState = 'waiting' | 'running' | 'done' | 'failed' | 'stopped' | 'unreached';
export type ResourceRow = {
  key: string;
  address: string;
  action: string;
  state: RowState;
  startedAt?: number;
  finishedAt?: number;
};
export type Progress = { done: number; failed: number; running: number; total: number };

function stateOf({ state }: ResourceView, isOver: boolean): RowState {
  if (state === 'completed') return 'done';
  if (state === 'errored') return 'failed';
  return isOver ? 'stopped' : 'running';
}

const rank: Record<RowState, number> = { failed: 0, stopped: 1, running: 2, waiting: 3, unreached: 3, done: 4 };

/**
 * Combines what the apply reported for each resource with what the plan still lists. Order: failed, running, waiting,
 * done. A replace is two rows, its delete and its create.
 */
export function resourceRows(
  views: readonly ResourceView[],
  { planned, isOver }: { planned: readonly PlanResourceRef[]; isOver: boolean },
): ResourceRow[] {
  const rows = views.map((view): ResourceRow => {
    const key = `${view.action} ${view.address}`;
    const end = view.finishedAt === undefined ? {} : { finishedAt: view.finishedAt };
    const { address, action, startedAt } = view;
    return { key, address, action, state: stateOf(view, isOver), startedAt, ...end };
  });
  const reportedKeys = new Set(rows.map(({ key }) => key));
  for (const { address, actions } of planned) {
    for (const action of actions) {
      const key = `${action} ${address}`;
      if (isObjectAction(action) && !reportedKeys.has(key))
        rows.push({ key, address, action, state: isOver ? 'unreached' : 'waiting' });
    }
  }
  return rows
    .map((row, at) => ({ row, at }))
    .sort((a, b) => rank[a.row.state] - rank[b.row.state] || a.at - b.at)
    .map(({ row }) => row);
}

/** Returns the progress of the actions on objects. */
export function progressOf(views: readonly ResourceView[], summary: PlanSummary | undefined): Progress {
  const changes = views.filter(({ action }) => isObjectAction(action));
  const count = (states: readonly string[]) => changes.filter(({ state }) => states.includes(state)).length;
  const planned = summary ? countObjectActions(summary) : 0;
  return {
    done: count(['completed']),
    failed: count(['errored']),
    running: count(['started', 'progress']),
    total: Math.max(planned, changes.length),
  };
}
