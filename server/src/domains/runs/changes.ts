import { isoTime } from '#server/kernel/clock';
import { jsonDigest } from '#server/kernel/digest';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { PlanSummary } from '#shared/plans/summary';
import type { runsApi } from '#shared/runs/api';
import type { GroupChange, RunChange, RunListChange } from '#shared/runs/changes';
import { isApplyType, type RunRow } from '#shared/runs/contract';
import { aggregateStatus } from './aggregate-status.ts';
import type { ChangesStore, MemberCount } from './changes-store.ts';
import { type RunView, runRowOf } from './record.ts';
import type { RunRecord } from './run-record.ts';

type Deps = { cursors: Cursors; store: ChangesStore; viewNow: () => RunView };
type Query = Omit<ListQueryOf<typeof runsApi.listRuns>, 'view'>;

/** Returns one page of the changes of a Workspace or a Capsule, newest first, and the Runs that they name. */
export function listChanges({ cursors, store, viewNow }: Deps, workspaceId: string, query: Query) {
  const { limit, cursor, ...filter } = query;
  const view = viewNow();
  const { rows: positions, next } = readPage(
    cursors,
    { limit, cursor },
    {
      binding: `changes:${jsonDigest({ workspaceId, ...filter })}`,
      fetch: (after, most) =>
        store.listPositions({ workspaceId, before: beforeSeq(after), limit: most, now: view.now, ...filter }),
      positionOf: (position) => [position],
    },
  );
  const { capsuleId } = filter;
  const found = store.listAt({ workspaceId, capsuleId }, positions);
  const at = Map.groupBy(found, ({ rowSeq, changeSeq }) => (capsuleId === undefined ? rowSeq : changeSeq));
  const groups = capsuleId === undefined ? readGroups(found, { store, now: view.now }) : undefined;
  const changes = positions.map((position): RunListChange => {
    const [first, ...later] = at.get(position) ?? [];
    if (!first) throw new Error(`no Run at the position ${position} of the list`);
    return groups && first.runGroupId !== null ? groups(first, first.runGroupId) : runChangeOf(first, later);
  });
  const runs = found.filter(({ runGroupId }) => groups === undefined || runGroupId === null);
  return { runs: runs.map((run): RunRow => runRowOf(run, view)), changes, ...next };
}

const triggerOf = ({ cause }: RunRecord) => (cause === null ? {} : { trigger: cause });

function runChangeOf(first: RunRecord, later: readonly RunRecord[]): RunChange {
  const apply = [first, ...later].find(({ type }) => isApplyType(type));
  const applied = apply && appliedBy(apply);
  return {
    kind: 'run',
    runId: first.id,
    ...(apply && apply !== first && { applyRunId: apply.id }),
    ...(applied && { applied }),
    ...triggerOf(first),
  };
}

/** A successful apply did what its plan says; another one reported what it reached. */
const appliedBy = ({ status, applied, facts }: RunRecord): PlanSummary | undefined =>
  applied ?? (status === 'succeeded' ? facts.summary : undefined);

/** Reads the groups of a page with one query for each fact, however many members they have. */
function readGroups(found: readonly RunRecord[], { store, now }: { store: ChangesStore; now: number }) {
  const ids = found.flatMap(({ runGroupId }) => runGroupId ?? []);
  const counts = Map.groupBy(ids.length === 0 ? [] : store.countMembers(ids), ({ runGroupId }) => runGroupId);
  const waiting = ids.length === 0 ? new Map<string, number>() : store.countAwaiting(ids, now);
  return (first: RunRecord, runGroupId: string): GroupChange => {
    const members = counts.get(runGroupId) ?? [];
    const awaited = waiting.get(runGroupId) ?? 0;
    const applied = appliedOf(members);
    const { type, createdBy, createdAt } = first;
    return {
      kind: 'group',
      runGroupId,
      type,
      status: statusOf(members, awaited > 0),
      createdBy,
      createdAt: isoTime(createdAt),
      members: {
        total: sum(members.filter(({ isApply }) => !isApply)),
        waiting: awaited,
        failed: sum(members.filter(({ status }) => status === 'failed')),
        succeeded: sum(members.filter(({ isApply, status }) => !isApply && status === 'succeeded')),
        applied: sum(members.filter(({ isApply, status }) => isApply && status === 'succeeded')),
      },
      ...(applied && { applied }),
      ...triggerOf(first),
    };
  };
}

const sum = (members: readonly MemberCount[]): number => members.reduce((total, { n }) => total + n, 0);

const statusOf = (members: readonly MemberCount[], isAwaited: boolean) =>
  aggregateStatus([
    ...members.map(({ status }) => ({ status })),
    ...(isAwaited ? [{ status: 'succeeded' as const, awaits: 'apply' as const }] : []),
  ]).status;

function appliedOf(members: readonly MemberCount[]): PlanSummary | undefined {
  const applies = members.filter(({ isApply, status }) => isApply && (status === 'succeeded' || status === 'failed'));
  if (applies.length === 0) return undefined;
  const total = (name: 'add' | 'change' | 'destroy') => applies.reduce((all, one) => all + one[name], 0);
  return { add: total('add'), change: total('change'), destroy: total('destroy') };
}
