import { useQuery } from '@tanstack/react-query';
import type { RunnerCapability } from '#shared/execution/tool';
import type { WorkspacePool } from '#shared/runner-pools/contract';
import { localPool } from '#shared/runs/contract';
import { queryClient } from './queries.ts';
import { capsuleQuery } from './records.ts';
import { capabilitiesQuery } from './runner.ts';
import { workspacePoolsQuery } from './runner-pools.ts';
import { useWorkspaceId } from './session.tsx';
import { whenKnown } from './when-known.ts';

/** The tool of a plan, its isolation, and the pool of its machine when that is not the machine of the server. */
export type PlanRunner = Pick<
  RunnerCapability,
  'toolName' | 'toolVersion' | 'sandbox' | 'sandboxProblem' | 'network'
> & { poolName?: string };

/**
 * Returns what a plan of a pool runs with; of the default pool when none is chosen. Undefined without a tool. While no
 * machine of a pool is live, its tool has no version and its network counts as shared.
 */
export function planRunnerOf(
  runner: RunnerCapability,
  pools: readonly WorkspacePool[],
  chosen: string | null | undefined,
): PlanRunner | undefined {
  const pool = pools.find(({ id }) => id === chosen) ?? pools.find(({ isDefault }) => isDefault);
  if (pool === undefined || pool.id === localPool) return runner.available ? runner : undefined;
  const [tool, ...others] = pool.tools ?? [];
  return {
    toolName: pool.tools?.some(({ name }) => name === 'terraform') ? 'terraform' : 'tofu',
    toolVersion: others.length === 0 ? (tool?.version ?? null) : null,
    // A machine without a sandbox does not start.
    sandbox: 'bwrap',
    network: pool.network ?? 'shared',
    poolName: pool.name,
  };
}

/** A pool, or a Capsule whose pool counts; neither for a new Capsule. */
type PlanTarget = { poolId?: string | undefined; capsuleId?: string | undefined };

/** Returns what a plan runs with; undefined while unknown, or without a tool. */
export function usePlanRunner({ poolId, capsuleId }: PlanTarget = {}): PlanRunner | undefined {
  const runner = useQuery(capabilitiesQuery).data?.runner;
  const pools = useQuery(workspacePoolsQuery(useWorkspaceId())).data;
  const capsule = useQuery(whenKnown(capsuleId, capsuleQuery)).data;
  if (!runner || !pools || (capsuleId !== undefined && !capsule)) return undefined;
  return planRunnerOf(runner, pools, poolId ?? capsule?.runnerPoolId);
}

/** Reads what a plan of a Capsule runs with; undefined without a tool. */
export async function readPlanRunner(capsuleId: string): Promise<PlanRunner | undefined> {
  const { workspaceId, runnerPoolId } = await queryClient.fetchQuery(capsuleQuery(capsuleId));
  const [{ runner }, pools] = await Promise.all([
    queryClient.fetchQuery(capabilitiesQuery),
    queryClient.fetchQuery(workspacePoolsQuery(workspaceId)),
  ]);
  return planRunnerOf(runner, pools, runnerPoolId);
}
