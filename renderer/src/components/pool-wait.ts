import type { RunnerPool, WorkspacePool } from '#shared/runner-pools/contract';

/** Reason for which no machine of a pool starts a Run: none is live, or those that are have another version than the server. */
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
