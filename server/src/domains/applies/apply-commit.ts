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
  capsules: Pick<CapsulesService, 'getRow' | 'commitApply' | 'commitState'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'watch' | 'catchUp'>;
  states: Pick<StateVersionsService, 'commit'>;
  projector: Pick<Projector, 'queue'>;
  stalenessNotifier: Pick<StalenessNotifier, 'catchUp'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
};
export type Committed = { stateVersionId: string; outputId: string; generation: number };
type NewState = {
  text: string;
  succeeded: boolean;
  /** True when actions follow: the Capsule gets its status when they have ended. */
  isContinued: boolean;
  secrets: readonly string[];
  isSecret: SecretTest;
};

export const isDestroy = ({ type }: ApplyRun): boolean => type === 'destroy_apply';

/** Commits the state of an apply: StateVersion, Outputs and the pointers of the Capsule. */
export function createApplyCommit(deps: CommitPorts) {
  const { clock, runs, capsules, states } = deps;

  function commit(run: ApplyRun, { text, succeeded, isContinued, secrets, isSecret }: NewState): Committed {
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
    if (isContinued) advanceCapsule(run, committed.stateVersionId);
    else moveCapsule(run, succeeded, committed.stateVersionId);
    notifyConsumers();
    if (succeeded && !isContinued && !isDestroy(run)) catchUp(run);
    return { ...committed, generation };
  }

  /** Marks the Capsule stale at once for changes that happened while the apply ran. */
  function catchUp({ capsuleId, input }: ApplyRun): void {
    deps.dependencies.catchUp(capsuleId, input.dependencySnapshotId);
    deps.stalenessNotifier.catchUp(capsuleId);
  }

  const positionOf = (run: ApplyRun, stateVersionId: string) => {
    const generation = run.baseStateGeneration ?? 0;
    return {
      fence: { epoch: run.executionAuthorityEpoch ?? 0, generation },
      pointers: { currentStateVersionId: stateVersionId, currentStateGeneration: generation + 1 },
    };
  };

  /** The provider apply is complete, so the Capsule tracks its snapshot, however the actions end. */
  function advanceCapsule(run: ApplyRun, stateVersionId: string): void {
    const { fence, pointers } = positionOf(run, stateVersionId);
    capsules.commitState(run.capsuleId, { fence, pointers: { ...pointers, ...adoptedBy(deps, run) } });
    runs.supersede(run.capsuleId, 'state_generation');
  }

  function moveCapsule(run: ApplyRun, succeeded: boolean, stateVersionId: string): void {
    const { fence, pointers } = positionOf(run, stateVersionId);
    const change = succeeded
      ? { runtimeSafety: 'safe' as const, ...pointers, ...adoptedBy(deps, run) }
      : { runtimeSafety: 'unknown' as const, ...pointers };
    const wanted = isDestroy(run) ? 'destroy' : 'apply';
    capsules.commitApply(run.capsuleId, succeeded ? wanted : 'fail', { fence, change });
    runs.supersede(run.capsuleId, 'state_generation');
  }

  /** Gives the Capsule its status after the actions of an apply whose state is committed. */
  function conclude(run: ApplyRun, succeeded: boolean, { generation }: Committed): void {
    const fence = { epoch: run.executionAuthorityEpoch ?? 0, generation };
    const runtimeSafety = succeeded ? 'safe' : 'unknown';
    capsules.commitApply(run.capsuleId, succeeded ? 'apply' : 'fail', { fence, change: { runtimeSafety } });
    if (succeeded) catchUp(run);
  }

  return { commit, conclude };
}

/** Only a complete apply makes a Capsule follow the snapshot of its plan. */
function adoptedBy(
  { sources }: Pick<CommitPorts, 'sources'>,
  run: ApplyRun,
): { adoptedSourceRevision?: AdoptedSourceRevision } {
  const snapshot = sources.findSnapshot(run.input.sourceSnapshotId);
  if (!snapshot || isDestroy(run)) return {};
  const { id: sourceSnapshotId, ref, path: sourcePath, resolvedCommit } = snapshot;
  return { adoptedSourceRevision: { sourceSnapshotId, ref, path: sourcePath, resolvedCommit } };
}

const mistypedItem = (at: number, name: string): FeedItem =>
  warningItem(
    at,
    'output_type_mismatch',
    `The Output "${name}" is not public: its value has another type than the configuration declares. Correct the module or the configuration.`,
  );
