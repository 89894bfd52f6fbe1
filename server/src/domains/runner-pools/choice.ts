import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { runnerPoolsApi } from '#shared/runner-pools/api';
import type { WorkspacePool } from '#shared/runner-pools/contract';
import { localPool } from '#shared/runs/contract';
import type { ChoiceStore } from './choice-store.ts';
import { notConfigured, type PoolReads } from './pools.ts';

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
  workspaces: { findWorkspaceId(id: string): string | undefined };
  store: ChoiceStore;
  pools: Pick<PoolReads, 'getRow' | 'queuesNow' | 'describeLive'>;
  isConfigured: boolean;
};

/** Workspace and own choice of a Capsule; null when it has none. */
type Choice = { workspaceId: string; runnerPoolId: string | null };

/** The pools that Workspaces may use, and the choice among them. */
export function createChoice({ db, clock, outbox, activity, workspaces, store, pools, isConfigured }: Deps) {
  const isAllowed = (workspaceId: string, poolId: string): boolean =>
    poolId === localPool || store.findWorkspacePool(workspaceId, poolId) !== undefined;

  function requireAllowed(workspaceId: string, poolId: string): void {
    if (isAllowed(workspaceId, poolId)) return;
    throw failedPrecondition(
      'runner_pool_not_allowed',
      'This Workspace may not use that pool of runner machines. Choose one that it may use, or ask the operator to allow it.',
    );
  }

  /** Throws 409 `runner_pool_not_allowed` or `runners_not_configured` for a pool that no Run may start in now. */
  function requireUsable(workspaceId: string, poolId: string): void {
    requireAllowed(workspaceId, poolId);
    if (poolId !== localPool && !isConfigured) throw notConfigured();
  }

  const listWorkspacePools = createWorkspacePoolList({ store, pools });

  /** Returns the pool that a new Run goes to, whether or not it may be used now. */
  const chosenPool = ({ workspaceId, runnerPoolId }: Choice): string =>
    runnerPoolId ?? store.findDefault(workspaceId) ?? localPool;

  return {
    isAllowed,
    requireAllowed,
    requireUsable,
    listWorkspacePools,

    chosenPool,

    /** Returns the pool of a new Run. Throws as `requireUsable` does. */
    poolOf(choice: Choice, requested: string | undefined): string {
      const poolId = requested ?? chosenPool(choice);
      requireUsable(choice.workspaceId, poolId);
      return poolId;
    },

    /**
     * Sets the pools that a Workspace may use. Its queued Runs stay where they are; the next plan of a Capsule whose pool
     * was withdrawn is refused. 400 `runner_pool_default_invalid`.
     */
    setWorkspacePools(
      workspaceId: string,
      { poolIds, defaultPoolId, ...rest }: BodyOf<typeof runnerPoolsApi.setWorkspaceRunnerPools>,
      actorId: string,
    ): WorkspacePool[] {
      nothingLeft(rest);
      if (defaultPoolId !== localPool && !poolIds.includes(defaultPoolId))
        throw invalidArgument(
          'runner_pool_default_invalid',
          'The default must be `local` or one of the pools that the Workspace may use.',
        );
      return db.write(() => {
        if (workspaces.findWorkspaceId(workspaceId) === undefined) throw notFound('Workspace');
        const allowed = [...new Set(poolIds)].sort();
        for (const poolId of allowed) pools.getRow(poolId);
        const now = clock.now();
        store.withdrawAll(workspaceId, now);
        for (const poolId of allowed)
          store.allow({ workspaceId, poolId, allowedAt: now, isDefault: poolId === defaultPoolId });
        activity.record({
          workspaceId,
          actorId,
          action: 'workspace.runner_pools_changed',
          targetType: 'workspace',
          targetId: workspaceId,
          metadata: { poolIds: allowed, defaultPoolId },
        });
        outbox.push({ workspaceId, kind: 'runner', recordId: workspaceId });
        return listWorkspacePools(workspaceId);
      });
    },
  };
}

/** Returns the list of `local` and the pools that a Workspace may use, or has used. */
const createWorkspacePoolList =
  ({ store, pools }: Pick<Deps, 'store' | 'pools'>) =>
  (workspaceId: string): WorkspacePool[] => {
    const queueNow = pools.queuesNow();
    const rows = store.listWorkspacePools(workspaceId);
    const local = {
      id: localPool,
      name: localPool,
      isAllowed: true,
      isDefault: !rows.some(({ isDefault }) => isDefault),
      queue: queueNow(localPool),
    } as const;
    const others = rows.map(({ id, name, withdrawnAt, isDefault }) => ({
      id,
      name,
      isAllowed: withdrawnAt === null,
      isDefault,
      queue: queueNow(id),
      ...pools.describeLive(id),
    }));
    return [local, ...others];
  };
