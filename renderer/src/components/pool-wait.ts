import type { RunnerPool, WorkspacePool } from '#shared/runner-pools/contract';
import type { Run } from '#shared/runs/contract';

/** Reason for which no machine of a pool starts a Run: all are away or drained, none has joined, or all live ones have another version than the server. */
export type PoolWait = 'silent' | 'older' | 'newer';

/** Returns why Runs wait in a pool; undefined when a machine can start one, and for `local`. */
export function poolWaitOf(
  pool: Pick<RunnerPool | WorkspacePool, 'liveMachines' | 'skewedMachines'> | undefined,
): PoolWait | undefined {
  const { liveMachines, skewedMachines } = pool ?? {};
  if (liveMachines === undefined) return undefined;
  if (liveMachines === 0) return 'silent';
  const { older, newer } = skewedMachines ?? { older: 0, newer: 0 };
  if (older + newer < liveMachines) return undefined;
  return older > 0 ? 'older' : 'newer';
}

/** Reports whether the live machines of a pool have other tools than the one that made a plan. */
export const lacksToolOf = (
  pool: Pick<WorkspacePool, 'tools'> | undefined,
  plan: Pick<Run, 'toolName' | 'toolVersion'> | undefined,
): boolean =>
  pool?.tools !== undefined &&
  plan?.toolVersion !== undefined &&
  !pool.tools.some(({ name, version }) => name === plan.toolName && version === plan.toolVersion);
