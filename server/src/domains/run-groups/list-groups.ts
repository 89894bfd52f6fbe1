import type { RunsService } from '#server/domains/runs/index';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { runGroupsApi } from '#shared/run-groups/api';
import type { RunGroup, RunGroupType } from '#shared/run-groups/contract';
import type { RunStatus } from '#shared/runs/contract';
import { groupOf } from './group-rows.ts';
import type { RunGroupsStore } from './store.ts';

export type GroupQuery = ListQueryOf<typeof runGroupsApi.listRunGroups>;

type Deps = {
  store: Pick<RunGroupsStore, 'list'>;
  runs: Pick<RunsService, 'listMembers'>;
  cursors: Cursors;
};
type Listed = { seq: number; runGroup: RunGroup };

/** Returns one page of the groups of a Workspace, newest first. */
export function listGroups(deps: Deps, workspaceId: string, query: GroupQuery) {
  const { type, status, ...page } = query;
  const { rows, next } = readPage(deps.cursors, page, {
    binding: `run-groups:${workspaceId}:${type ?? ''}:${status ?? ''}`,
    fetch(after, limit) {
      const batch = status === undefined ? limit : filteredBatch;
      return collect(groupsBefore(deps, { workspaceId, type, before: beforeSeq(after) }, batch), status, limit);
    },
    positionOf: ({ seq }) => [seq],
  });
  return { runGroups: rows.map(({ runGroup }) => runGroup), ...next };
}

/** Collects groups of a status. The status is derived from the members, so groups are read until the page is full. */
function collect(groups: Iterable<Listed>, status: RunStatus | undefined, limit: number): Listed[] {
  const matching: Listed[] = [];
  for (const one of groups) {
    if (status === undefined || one.runGroup.status === status) matching.push(one);
    if (matching.length === limit) break;
  }
  return matching;
}

/** Groups that are read at once while those of a status are collected. */
const filteredBatch = 100;
type From = { workspaceId: string; type: RunGroupType | undefined; before: number };

/** Reads groups in batches, with one query for the members of each batch. */
function* groupsBefore({ store, runs }: Deps, from: From, batch: number): Generator<Listed> {
  let { before } = from;
  for (;;) {
    const rows = store.list({ ...from, before, limit: batch });
    const members = runs.listMembers(rows.map(({ id }) => id));
    for (const row of rows) yield { seq: row.seq, runGroup: groupOf(row, members.get(row.id) ?? []) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    before = last.seq;
  }
}
