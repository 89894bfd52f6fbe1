import type { RunTool, ServerTool } from '#server/domains/execution/index';
import type { RunnerPoolsService } from '#server/domains/runner-pools/index';
import { AppError } from '#server/kernel/errors';
import { localPool } from '#shared/runs/contract';

export type RunToolPorts = {
  runnerPools: Pick<RunnerPoolsService, 'listPoolTools'>;
  /** Version that is assumed of a pool that no machine has joined yet. */
  pinnedToolVersion: string;
};

/** Pool of a new Run, the tool of the machine of the server, and the tool that the state or the plan requires. */
type Wanted = { poolId: string; tool: ServerTool; needed: { name: RunTool['name']; version?: string } | undefined };

/**
 * Returns the tool that a new Run will have: that of the server in `local`, otherwise one of the machines of its pool,
 * and preferably the one it needs. 503 `runner_unavailable` in `local` without a usable tool; a Run of a pool waits.
 */
export function toolOfNewRun(
  { poolId, tool, needed }: Wanted,
  { runnerPools, pinnedToolVersion }: RunToolPorts,
): RunTool {
  if (poolId === localPool) {
    if ('unavailableReason' in tool) throw new AppError('runner_unavailable', tool.unavailableReason);
    return tool;
  }
  const tools = runnerPools.listPoolTools(poolId);
  const fitting = tools.find(({ name, version }) => name === needed?.name && version === (needed.version ?? version));
  return fitting ?? tools[0] ?? { name: 'tofu', version: pinnedToolVersion, ...needed };
}
