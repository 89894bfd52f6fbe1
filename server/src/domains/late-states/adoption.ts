import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import { type RestoresService, requireFreeLineage } from '#server/domains/restores/index';
import { isApplyRun, type RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { readState } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import { failedPrecondition } from '#server/kernel/errors';
import { unpackText } from '#server/kernel/packed';
import { present } from '#server/kernel/present';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { lateStatesApi } from '#shared/late-states/api';
import type { Run } from '#shared/runs/contract';
import { publishLateState, sealContextOf } from './records.ts';
import type { LateStateRow, LateStatesStore } from './store.ts';

export type AdoptionPorts = Parameters<typeof publishLateState>[0] & {
  vault: Vault;
  runs: Pick<RunsService, 'getRun' | 'getRecord' | 'findActiveApply'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'findCurrentHead' | 'findHolder'>;
  requestRestore: RestoresService['requestState'];
};
type Deps = AdoptionPorts & { store: LateStatesStore };

/** Throws 409 `late_state_ended` for a state that was deleted or has been adopted. */
export function requireUndecided({ end }: LateStateRow): void {
  if (end === null) return;
  throw failedPrecondition(
    'late_state_ended',
    'This late state was adopted, dismissed or has expired, so its content does not exist any more.',
  );
}

/** Opens a late state, in clear. */
export const openLateState = (vault: Vault, row: LateStateRow & { state: Buffer }): string =>
  unpackText(vault.open(sealContextOf(row), row.state));

/** Compares a late state with what its Capsule has become since its apply was ended. */
export function createSuccession({ runs, capsules, states }: Pick<Deps, 'runs' | 'capsules' | 'states'>) {
  const baseOf = (row: LateStateRow): number => runs.getRecord(row.runId).baseStateGeneration ?? 0;
  return {
    /** Reports whether the Capsule got another state since its apply was ended. */
    isSuperseded(row: LateStateRow): boolean {
      const head = states.findCurrentHead(row.capsuleId);
      if (head?.createdByRunId === row.runId) return false;
      return capsules.getRow(row.capsuleId).currentStateGeneration > baseOf(row);
    },
    /** Reports whether the current state only stands for the first state of the ended apply, of which nothing had arrived. */
    isPlaceholder(row: LateStateRow): boolean {
      const head = states.findCurrentHead(row.capsuleId);
      return head?.createdByRunId === row.runId && head.resourceCount === 0 && baseOf(row) === 0;
    },
  };
}

/**
 * Returns the write that creates the restore Run of a late state, or finds the one that has not ended. It compares and sets
 * against the generation that the person saw, and the restore does so again when it commits.
 */
export function createAdoption(deps: Deps) {
  const { vault, runs, capsules, states, store, requestRestore } = deps;
  const { isSuperseded, isPlaceholder } = createSuccession(deps);

  function requireFree(row: LateStateRow, replaceNewer: boolean): CapsuleRow {
    const capsule = capsules.getRow(row.capsuleId);
    const details = { capsuleId: capsule.id, capsuleName: capsule.name };
    if (runs.findActiveApply(row.capsuleId))
      throw failedPrecondition(
        'run_in_progress',
        'An apply of this Capsule is queued or running. Wait for its end, then adopt the state.',
        details,
      );
    if (isSuperseded(row) && !replaceNewer)
      throw failedPrecondition(
        'late_state_superseded',
        'The Capsule got another state since this apply was ended, and adopting would replace it. Compare them, then confirm with replaceNewer, or dismiss the late state.',
        details,
      );
    return capsule;
  }

  function requireSeen({ currentStateGeneration, id, name }: CapsuleRow, expected: number): void {
    if (currentStateGeneration === expected) return;
    throw failedPrecondition(
      'state_generation_mismatch',
      'state_generation_mismatch: the state of the Capsule has changed since it was read. Reload, compare again, then adopt the state.',
      { capsuleId: id, capsuleName: name },
    );
  }

  return (
    row: LateStateRow,
    { body, actorId }: { body: BodyOf<typeof lateStatesApi.adoptLateState>; actorId: string },
  ): { run: Run; isNew: boolean } => {
    const { expectedGeneration, replaceNewer = false, ...rest } = body;
    nothingLeft(rest);
    if (row.restoreRunId !== null) return { run: runs.getRun(row.restoreRunId), isNew: false };
    requireUndecided(row);
    if (row.state === null) throw new Error('An undecided late state has no content.');
    const capsule = requireFree(row, replaceNewer);
    requireSeen(capsule, expectedGeneration);
    const text = openLateState(vault, { ...row, state: row.state });
    const replacesLineage = isPlaceholder(row);
    if (replacesLineage) {
      const holder = states.findHolder(readState(text).lineage);
      requireFreeLineage(holder?.capsuleId === row.capsuleId ? undefined : holder, row.workspaceId);
    }
    const apply = runs.getRecord(row.runId);
    const { toolName = 'tofu', sourceSnapshotId } = isApplyRun(apply) ? apply.facts : {};
    const { workspaceId, capsuleId, runId: lateRunId } = row;
    const state = { capsuleId, text, toolName, partial: true, replacesLineage, ...present({ sourceSnapshotId }) };
    const run = requestRestore({ requester: { workspaceId, actorId, lateRunId }, ...state });
    store.update(row.id, { restoreRunId: run.id });
    publishLateState(deps, row, {
      action: 'late_state.adoption_requested',
      actorId,
      metadata: { restoreRunId: run.id },
    });
    return { run, isNew: true };
  };
}
