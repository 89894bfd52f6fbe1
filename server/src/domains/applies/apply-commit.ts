import type { CapsulesService, StalenessNotifier } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import { type ApplyRun, type RunsService, warningItem } from '#server/domains/runs/index';
import type { SourcesService } from '#server/domains/sources/index';
import type { Projector } from '#server/domains/state-resources/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { SecretTest } from '#server/drivers/tofu/index';
import type { Clock } from '#server/kernel/clock';
import type { AdoptedSourceRevision } from '#shared/capsules/contract';
import type { FeedItem } from '#shared/runs/feed';

export type CommitPorts = {
  clock: Clock;
  runs: Pick<RunsService, 'append' | 'supersede'>;
  capsules: Pick<CapsulesService, 'getRow' | 'commitApply'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'watch' | 'catchUp'>;
  states: Pick<StateVersionsService, 'commit'>;
  projector: Pick<Projector, 'queue'>;
  stalenessNotifier: Pick<StalenessNotifier, 'catchUp'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
};
export type Committed = { stateVersionId: string; outputId: string; generation: number };
type NewState = { text: string; succeeded: boolean; secrets: readonly string[]; isSecret: SecretTest };

export const isDestroy = ({ type }: ApplyRun): boolean => type === 'destroy_apply';

/** Commits the state of an apply: StateVersion, Outputs and the pointers of the Capsule. */
export function createApplyCommit(deps: CommitPorts) {
  const { clock, runs, capsules, states } = deps;

  function commit(run: ApplyRun, { text, succeeded, secrets, isSecret }: NewState): Committed {
    const capsule = capsules.getRow(run.capsuleId);
    const { allOutputs, parts } = deps.configs.getPrivate(run.input.installConfigId);
    const generation = capsule.currentStateGeneration + 1;
    const notifyConsumers = deps.dependencies.watch(capsule.id);
    const committed = states.commit({
      workspaceId: run.workspaceId,
      capsuleId: capsule.id,
      environment: capsule.environment,
      generation,
      runId: run.id,
      sourceSnapshotId: run.facts.sourceSnapshotId,
      toolName: run.facts.toolName ?? 'tofu',
      text,
      partial: !succeeded,
      isSecret,
      publish: { all: allOutputs, allowlist: parts.outputAllowlist },
    });
    deps.projector.queue({
      stateVersionId: committed.stateVersionId,
      workspaceId: run.workspaceId,
      capsuleId: capsule.id,
      generation,
      secrets,
    });
    runs.append(
      run.id,
      committed.mistyped.map((name) => mistypedItem(clock.now(), name)),
    );
    moveCapsule(run, succeeded, committed.stateVersionId);
    notifyConsumers();
    if (succeeded && !isDestroy(run)) {
      deps.dependencies.catchUp(capsule.id, run.input.dependencySnapshotId);
      deps.stalenessNotifier.catchUp(capsule.id);
    }
    return { ...committed, generation };
  }

  function moveCapsule(run: ApplyRun, succeeded: boolean, stateVersionId: string): void {
    const generation = run.baseStateGeneration ?? 0;
    const pointers = { currentStateVersionId: stateVersionId, currentStateGeneration: generation + 1 };
    const fence = { epoch: run.executionAuthorityEpoch ?? 0, generation };
    const change = succeeded
      ? { runtimeSafety: 'safe' as const, ...pointers, ...adoptedBy(run) }
      : { runtimeSafety: 'unknown' as const, ...pointers };
    const wanted = isDestroy(run) ? 'destroy' : 'apply';
    capsules.commitApply(run.capsuleId, succeeded ? wanted : 'fail', { fence, change });
    runs.supersede(run.capsuleId, 'state_generation');
  }

  /** Only a successful apply makes a Capsule follow the snapshot of its plan. */
  function adoptedBy(run: ApplyRun): { adoptedSourceRevision?: AdoptedSourceRevision } {
    const snapshot = deps.sources.findSnapshot(run.input.sourceSnapshotId);
    if (!snapshot || isDestroy(run)) return {};
    const { id: sourceSnapshotId, ref, path: sourcePath, resolvedCommit } = snapshot;
    return { adoptedSourceRevision: { sourceSnapshotId, ref, path: sourcePath, resolvedCommit } };
  }

  return commit;
}

const mistypedItem = (at: number, name: string): FeedItem =>
  warningItem(
    at,
    'output_type_mismatch',
    `The Output "${name}" is not public: its value has another type than the configuration declares. Correct the module or the configuration.`,
  );
