import type { ActivityService } from '#server/domains/activity/index';
import { runKey } from '#server/domains/execution/index';
import type { LateFiles } from '#server/domains/remote-runs/index';
import { type ApplyRun, isApplyRun, type RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { readState } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { digestOf } from '#server/kernel/digest';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { packText } from '#server/kernel/packed';
import { findLastState } from '#server/runner/index';
import { limits } from '#shared/limits';
import { publishLateState, sealContextOf } from './records.ts';
import type { LateStatesStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  vault: Vault;
  runs: Pick<RunsService, 'findRecord'>;
  states: Pick<StateVersionsService, 'findDigestOfRun'>;
  activity: Pick<ActivityService, 'record'>;
  store: LateStatesStore;
};

/** Most states of one apply that are stored. */
const maxStates = 4;

/**
 * Returns the function that stores the newest state of an apply that its machine has brought, sealed beside its Run. True
 * when the server has that state now or had it before; false when there is none that this Run can have made.
 */
export const createIntake = (deps: Deps) => {
  const { db, clock, vault, runs, states, store } = deps;

  function readText(run: ApplyRun, dir: string): string | undefined {
    const toolName = run.facts.toolName ?? 'tofu';
    // Only copies count. The machine may have used the folder of the Capsule for another Run since.
    return findLastState({ runDir: dir, capsuleDir: dir, toolName, key: runKey(vault, run) })?.text;
  }

  return ({ runId, machineId, dir }: LateFiles): boolean => {
    const run = runs.findRecord(runId);
    const text = run && isApplyRun(run) ? readText(run, dir) : undefined;
    if (!run || !isApplyRun(run) || text === undefined) return false;
    if (Buffer.byteLength(text) > limits.importStateBytes) return false;
    const { serial, resourceCount } = readState(text);
    const { workspaceId, capsuleId } = run;
    const stateDigest = digestOf(text);
    return db.write(() => {
      const known = store.listOfRun(runId);
      if (states.findDigestOfRun(runId) === stateDigest || known.some((row) => row.stateDigest === stateDigest))
        return true;
      if (known.length >= maxStates) return false;
      const id = newId('lateState');
      const state = vault.seal(sealContextOf({ id, workspaceId }), packText(text));
      const found = { id, workspaceId, capsuleId, runId, machineId, serial, resourceCount, stateDigest, state };
      const row = { ...found, arrivedAt: clock.now(), restoreRunId: null, end: null };
      store.insert(row);
      publishLateState(deps, row, { action: 'late_state.arrived', metadata: { capsuleId, runnerId: machineId } });
      return true;
    });
  };
};
