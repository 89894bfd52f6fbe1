import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import { auditItem, type RunsService } from '#server/domains/runs/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import { present } from '#server/kernel/present';
import type { LeftOutCapsule } from '#shared/restores/contract';
import type { Run } from '#shared/runs/contract';
import { createPrepare, type PreparedState, type StateToRestore } from './prepare.ts';
import { requireGeneration, requireRestorable } from './refusals.ts';
import type { RestoresStore } from './store.ts';

type RestoreRequester = { workspaceId: string; actorId: string };
type StateRequester = RestoreRequester & Pick<RestoreRequest, 'lateRunId'>;
export type RestoreRequest = RestoreRequester & {
  /** Backup that the states come from; absent for states from files. */
  backup?: { id: string; createdAt: number };
  /** Apply that was ended, and whose machine brought the state later. */
  lateRunId?: string;
  /** States of different Capsules of the Workspace, at least one. */
  states: Iterable<StateToRestore> | AsyncIterable<StateToRestore>;
  leftOut?: readonly LeftOutCapsule[];
};

type Deps = Parameters<typeof createPrepare>[0] & {
  clock: Clock;
  vault: Vault;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow'>;
  activity: Pick<ActivityService, 'record'>;
  store: RestoresStore;
  /** Time for which a restore waits for its approval. */
  approvalTtlMs: number;
};

/** Binds the sealed state of a restore to its row. */
export const sealContextOf = ({ id, workspaceId }: { id: string; workspaceId: string }) => ({
  table: 'restore_states',
  row: id,
  column: 'state',
  workspaceId,
});

/** Requests of restores. */
export function createRestoreRequests(deps: Deps) {
  const { clock, vault, runs, capsules, activity, store } = deps;
  const prepare = createPrepare(deps);

  function create(
    { workspaceId, actorId, backup, lateRunId, leftOut = [] }: Omit<RestoreRequest, 'states'>,
    states: PreparedState[],
  ): Run {
    const now = clock.now();
    for (const { capsuleId, currentGeneration } of states) {
      const capsule = capsules.getRow(capsuleId);
      requireRestorable(capsule, now);
      requireGeneration(capsule, currentGeneration);
    }
    const [first, ...others] = states;
    const only = others.length === 0 ? first : undefined;
    const run = runs.create(
      {
        id: newId('restore'),
        workspaceId,
        type: 'restore',
        createdBy: actorId,
        ...(only && scopeOf(only)),
        planExpiresAt: now + deps.approvalTtlMs,
        facts: present({
          backupId: backup?.id,
          restoreStateGeneration: only?.sourceGeneration,
          restoredFromStateVersionId: only?.sourceStateVersionId,
          requiresApproval: true,
          ...(only && { environment: capsules.getRow(only.capsuleId).environment }),
          ...(only && { subject: { kind: 'capsule' as const, id: only.capsuleId } }),
        }),
        input: { capsuleIds: states.map(({ capsuleId }) => capsuleId) },
      },
      [auditItem('restore.requested', now, { actor: actorId })],
    );
    const from = { backupId: backup?.id ?? null, backupCreatedAt: backup?.createdAt ?? null };
    const origin = { ...from, lateRunId: lateRunId ?? null };
    store.insertRestore({ runId: run.id, workspaceId, ...origin, leftOut: [...leftOut] });
    for (const state of states) save(run.id, state);
    failpoint('restore.requested');
    activity.record({
      workspaceId,
      actorId,
      action: 'restore.created',
      ...targetOf(run.id, backup?.id),
      runId: run.id,
      metadata: only ? { capsuleId: only.capsuleId } : { capsules: states.length },
    });
    return run;
  }

  const scopeOf = ({ capsuleId, currentGeneration }: PreparedState) => ({
    capsuleId,
    capsuleName: capsules.getRow(capsuleId).name,
    baseStateGeneration: currentGeneration,
  });

  function save(runId: string, { packed, ...row }: PreparedState): void {
    const id = `${runId}.${row.capsuleId}`;
    const state = vault.seal(sealContextOf({ id, workspaceId: row.workspaceId }), packed);
    store.insertState({ ...row, id, runId, state, restoredStateVersionId: null });
  }

  return {
    /**
     * Checks the states, and returns the function that creates the restore Run, for the caller's transaction. Both throw
     * 409 with the reason when a state cannot become the current one of its Capsule.
     */
    async request({ states: inputs, ...input }: RestoreRequest): Promise<() => Run> {
      const states: PreparedState[] = [];
      for await (const state of inputs) {
        // Each state takes milliseconds, and there may be a thousand.
        await nextTurn();
        states.push(prepare(state));
      }
      return () => create(input, states);
    },

    /** Creates the restore Run of one state from a file or machine, in the caller's transaction. Throws like `request`. */
    requestState: ({ requester, ...state }: StateToRestore & { requester: StateRequester }): Run =>
      create(requester, [prepare(state)]),
  };
}

/** Record that the history of a restore names: its backup, or the Run for states from files. */
export const targetOf = (runId: string, backupId: string | null | undefined) =>
  backupId === null || backupId === undefined
    ? { targetType: 'run', targetId: runId }
    : { targetType: 'backup', targetId: backupId };
