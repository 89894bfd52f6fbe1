import type { RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { parseLock, TofuError } from '#server/drivers/tofu/index';
import type { Toolchain } from '#shared/plans/toolchain';
import type { PlansStore } from './store.ts';

type Deps = {
  runs: Pick<RunsService, 'findRecord'>;
  states: Pick<StateVersionsService, 'findCurrentHead'>;
  store: Pick<PlansStore, 'findSeal'>;
};

/** Finds the tool and the providers of the plan whose apply made the current state; null before the first apply. */
export const createFindToolchain =
  ({ runs, states, store }: Deps) =>
  (capsuleId: string): Toolchain | null => {
    const head = states.findCurrentHead(capsuleId);
    const planRunId = head && runs.findRecord(head.createdByRunId)?.planRunId;
    const seal = planRunId ? store.findSeal(planRunId) : undefined;
    if (!seal) return null;
    const { runId, toolName, toolVersion, lock } = seal;
    return { planRunId: runId, toolName, toolVersion, providers: providersOf(lock) };
  };

/** A lock that cannot be read names no provider here: the next plan reports it. */
function providersOf(lock: string): Toolchain['providers'] {
  try {
    return parseLock(lock).map(({ address, version }) => ({ address, version }));
  } catch (error) {
    if (error instanceof TofuError) return [];
    throw error;
  }
}
