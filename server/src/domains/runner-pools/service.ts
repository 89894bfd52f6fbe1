import type { MachineTool } from '#shared/runner-pools/contract';
import { createChoice } from './choice.ts';
import { createChoiceStore } from './choice-store.ts';
import { createEnrolmentCancel, createEnrolments } from './enrolments.ts';
import { createMachines } from './machines.ts';
import { createMachinesStore } from './machines-store.ts';
import { createPoolEdits, createPoolReads, type PoolsDeps } from './pools.ts';
import { liveSince, toolsOf } from './records.ts';
import { createPoolsStore } from './store.ts';

export type RunnerPoolsService = ReturnType<typeof createRunnerPoolsService>;

type Deps = Omit<PoolsDeps, 'store'> & {
  countRunning: Parameters<typeof createMachines>[0]['countRunning'];
  workspaces: Parameters<typeof createChoice>[0]['workspaces'];
};

/** Pools of runner machines, the machines, and who may use them. It does not speak to any machine. */
export function createRunnerPoolsService(deps: Deps) {
  const machinesStore = createMachinesStore(deps.db);
  const known = { ...deps, store: createPoolsStore(deps.db) };
  const cancelEnrolments = createEnrolmentCancel({ ...deps, store: machinesStore });
  const machines = createMachines({ ...deps, store: machinesStore });
  const reads = createPoolReads(known);
  return {
    listPools: reads.listPools,
    getPool: reads.shownPool,
    listPoolIds: known.store.listPoolIds,
    ...createPoolEdits({ ...known, reads, cancelEnrolments }),
    ...machines,
    ...createEnrolments({ ...deps, store: machinesStore, getPool: reads.getRow }),
    ...createChoice({ ...deps, store: createChoiceStore(deps.db), pools: reads }),

    /** Reports whether a machine has joined any pool and was not revoked. */
    hasMachines: (): boolean => machinesStore.listUnrevoked().length > 0,

    /** Revokes every machine and cancels every enrolment, in the caller's transaction. Returns the number of machines. */
    revokeEvery(): number {
      cancelEnrolments(undefined, 'system');
      const ids = machinesStore.listUnrevoked();
      for (const id of ids) machines.moveMachine(id, 'revoke', 'system');
      return ids.length;
    },

    /**
     * Returns the tools of the live machines of a pool that claim Runs, or of those that were live last while none is.
     * Several are those of machines that differ.
     */
    listPoolTools(poolId: string): MachineTool[] {
      const live = toolsOf(known.store.listLiveFacts(poolId, liveSince(deps.clock.now())));
      return live.length > 0 ? live : toolsOf(known.store.listLiveFacts(poolId, 0));
    },
  };
}
