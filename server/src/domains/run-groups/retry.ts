import type { RunRecord, RunsService } from '#server/domains/runs/index';
import { failedPrecondition } from '#server/kernel/errors';
import { newestOfEach } from '#shared/run-groups/newest-of-each';
import { isApplyType, type RunStatus } from '#shared/runs/contract';
import { prepareChecks } from './checks.ts';
import type { GroupAnswer, GroupRows } from './group-rows.ts';
import type { CreationPorts, GroupInput, GroupRuns } from './group-runs.ts';
import { type Use, withConsumers } from './layers.ts';
import type { GroupRow } from './store.ts';

type Deps = CreationPorts & Pick<GroupRuns, 'propose'> & { rows: GroupRows };
type RetryInput = Omit<GroupInput, 'workspaceId'>;

const unsuccessful: readonly RunStatus[] = ['failed', 'cancelled', 'expired'];

/** Plans members of a group again, in the same group, so that they wait for their producers as before. */
export function createRetry(deps: Deps) {
  const { db, store, runs, rows, workspaces } = deps;

  /** Drift checks depend on nothing: they read the values of the state. */
  const usesOf = ({ type, workspaceId }: GroupRow): Use[] =>
    type === 'workspace_update' ? store.listUses(workspaceId) : [];

  /** Returns the layers with only the members to plan again. 409 `nothing_to_retry`. */
  function requireLayers(row: GroupRow): string[][] {
    workspaces.requireLive(row.workspaceId);
    const ids = membersToRetry(runs.store.listGroup(row.id), usesOf(row));
    if (ids.size === 0)
      throw failedPrecondition('nothing_to_retry', 'No member of this group has failed or was cancelled.');
    return row.layers.map((layer) => layer.filter((id) => ids.has(id)));
  }

  return {
    /**
     * Checks the newest snapshots that have no compatibility report. The returned function plans the members whose newest
     * Run did not succeed, and their consumers that are not applied yet. 409 `nothing_to_retry`.
     */
    async retry(id: string, input: RetryInput): Promise<() => GroupAnswer> {
      const row = rows.getRow(id);
      const { type, workspaceId } = row;
      const members = requireLayers(row).flat();
      const isUpdate = type === 'workspace_update';
      const commitCheck = isUpdate ? await prepareChecks(deps, members, input.actorId) : undefined;
      return () =>
        db.write(() => {
          const producersOf = Map.groupBy(usesOf(row), ({ consumerId }) => consumerId);
          const planIds = newestPlans(runs, id);
          const layers = requireLayers(row);
          for (const [groupLayer, capsuleIds] of layers.entries())
            for (const capsuleId of capsuleIds) {
              const waitsFor = (producersOf.get(capsuleId) ?? []).flatMap(
                ({ producerId }) => planIds.get(producerId) ?? [],
              );
              const group = { runGroupId: id, groupLayer, waitsFor };
              const run = deps.propose(capsuleId, group, { ...input, workspaceId, commitCheck, type });
              planIds.set(capsuleId, run.id);
            }
          rows.record(row, 'run_group.retried', input.actorId, { type, capsules: layers.flat().length });
          return rows.answerOf(row);
        });
    },
  };
}

/** A consumer of a failed member was planned without its result, so it is planned again unless it is applied. */
function membersToRetry(members: readonly RunRecord[], uses: readonly Use[]): Set<string> {
  const newest = new Map(newestOfEach(members).map((run) => [run.capsuleId, run]));
  const isUnsuccessful = (id: string) => unsuccessful.includes(newest.get(id)?.status ?? 'succeeded');
  const failed = [...newest.keys()].filter((id) => id !== null).filter(isUnsuccessful);
  const reached = [...withConsumers(failed, uses)];
  const isPlanned = (id: string) => {
    const run = newest.get(id);
    return run !== undefined && !isApplyType(run.type);
  };
  return new Set(reached.filter((id) => isUnsuccessful(id) || isPlanned(id)));
}

const newestPlans = (runs: RunsService, id: string): Map<string | null, string> =>
  new Map(
    runs.store
      .listGroup(id)
      .filter(({ type }) => !isApplyType(type))
      .map((run) => [run.capsuleId, run.id]),
  );
