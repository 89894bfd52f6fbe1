import type { ActivityService } from '#server/domains/activity/index';
import { secretTestOf } from '#server/domains/applies/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { RestoreRun, RunsService } from '#server/domains/runs/index';
import type { Projector } from '#server/domains/state-resources/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { readState } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { digestOf } from '#server/kernel/digest';
import { failpoint } from '#server/kernel/failpoints';
import { unpackText } from '#server/kernel/packed';
import { stateRestored } from '#shared/notifications/events';
import { requireFreeLineage, requireGeneration, requireRestorable } from './refusals.ts';
import { sealContextOf } from './requests.ts';
import type { RestoreStateRow, RestoresStore } from './store.ts';

export type RestoreCommitPorts = {
  clock: Clock;
  vault: Vault;
  runs: Pick<RunsService, 'supersede'>;
  capsules: Pick<CapsulesService, 'getRow' | 'commitRestore'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'watch'>;
  states: Pick<StateVersionsService, 'commit' | 'findHolder'>;
  projector: Pick<Projector, 'queue'>;
  activity: Pick<ActivityService, 'record'>;
  store: RestoresStore;
  /** Secret texts of a Capsule and of the Run that wrote a state of it. */
  secretsOf: (capsule: CapsuleRow, from: { stateVersionId: string | null; runId: string | null }) => string[];
};

/**
 * Returns the function that makes each state of a restore the current one of its Capsule, in the caller's transaction. It
 * throws for the first one that cannot be committed; then the transaction must not commit any.
 */
export function createRestoreCommit(deps: RestoreCommitPorts) {
  const { clock, vault, runs, capsules, store } = deps;

  function openText(row: RestoreStateRow): string {
    if (row.state === null) throw new Error('The state of this restore does not exist any more.');
    const text = unpackText(vault.open(sealContextOf(row), row.state));
    if (digestOf(text) !== row.stateDigest) throw new Error('The state of this restore was changed.');
    return text;
  }

  function commitState(run: RestoreRun, row: RestoreStateRow): string {
    const capsule = capsules.getRow(row.capsuleId);
    requireRestorable(capsule, clock.now());
    requireGeneration(capsule, row.currentGeneration);
    const { workspaceId, id: capsuleId, environment } = capsule;
    const { allOutputs, parts } = deps.configs.getPrivate(capsule.installConfigId);
    const text = openText(row);
    // Another import of the same state may have been committed since the request.
    if (row.currentGeneration === 0) requireFreeLineage(deps.states.findHolder(readState(text).lineage), workspaceId);
    const generation = row.currentGeneration + 1;
    const notifyConsumers = deps.dependencies.watch(capsuleId);
    const secrets = deps.secretsOf(capsule, {
      stateVersionId: row.sourceStateVersionId,
      runId: store.findRestore(run.id)?.lateRunId ?? null,
    });
    const { stateVersionId } = deps.states.commit({
      workspaceId,
      capsuleId,
      environment,
      generation,
      runId: run.id,
      sourceSnapshotId: row.sourceSnapshotId ?? undefined,
      toolName: row.toolName,
      text,
      partial: row.partial,
      isSecret: secretTestOf(secrets),
      publish: { all: allOutputs, allowlist: parts.outputAllowlist },
      shown: row.shownOutputs ?? undefined,
    });
    deps.projector.queue({ stateVersionId, workspaceId, capsuleId, generation, secrets });
    capsules.commitRestore(capsuleId, { stateVersionId, generation });
    runs.supersede(capsuleId, 'state_generation');
    if (capsule.status !== 'stale') recordStale(run, capsule);
    notifyConsumers();
    store.completeState(row.id, stateVersionId);
    failpoint('restore.state');
    return stateVersionId;
  }

  const recordStale = ({ id: runId }: RestoreRun, { id: targetId, workspaceId }: CapsuleRow): void =>
    deps.activity.record({
      workspaceId,
      action: 'capsule.stale',
      targetType: 'capsule',
      targetId,
      runId,
      metadata: { reason: stateRestored },
    });

  return (run: RestoreRun): string[] => store.listStates(run.id).map((row) => commitState(run, row));
}
