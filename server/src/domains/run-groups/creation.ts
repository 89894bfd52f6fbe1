import { failedPrecondition } from '#server/kernel/errors';
import { limits } from '#shared/limits';
import { prepareChecks } from './checks.ts';
import type { GroupAnswer } from './group-rows.ts';
import type { CreationPorts, GroupInput, GroupRuns } from './group-runs.ts';
import { layersOf, withConsumers } from './layers.ts';

/** Creates groups: of the plans of stale Capsules, and of drift checks. */
export function createGroupCreation(deps: CreationPorts & Pick<GroupRuns, 'create'>) {
  const { db, store, runs, workspaces, create } = deps;

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
        const applied = store.listCapsules(input.workspaceId, ['active', 'stale']).map(({ id }) => id);
        if (applied.length === 0) {
          throw failedPrecondition(
            'nothing_to_drift_check',
            'nothing_to_drift_check: no Capsule of this Workspace is active or stale. Apply one first.',
          );
        }
        const checked = runs.store.listLastOf(applied, 'drift_check');
        const longest = applied.sort((one, other) => (checked.get(one) ?? 0) - (checked.get(other) ?? 0));
        return create('workspace_drift_check', [longest.slice(0, limit)], input);
      });
    },
  };
}
