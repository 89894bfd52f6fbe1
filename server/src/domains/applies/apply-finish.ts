import { randomUUID } from 'node:crypto';
import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService, StalenessNotifier } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import { createRunValues, type Folders, type LostApply } from '#server/domains/execution/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { PlansStore } from '#server/domains/plans/index';
import type { Grants } from '#server/domains/provider-bindings/index';
import {
  type ApplyRun,
  auditItem,
  createRunRecorder,
  endEventOf,
  failureItem,
  phaseItem,
  phaseTimingsOf,
  type RunsService,
  runKindOf,
  warningItem,
} from '#server/domains/runs/index';
import type { SourcesService } from '#server/domains/sources/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { createSecretTest, emptyState, readState, type SecretTest, type State } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { type ApplyOutcome, createRedactor, secretsIn } from '#server/runner/index';
import type { AdoptedSourceRevision } from '#shared/capsules/contract';
import type { FeedItem } from '#shared/runs/feed';
import { type ApplyEnd, createApplyEnd } from './apply-end.ts';
import { findOrphans, livingIn, orphanItems, type ResourceReport, unfinishedIn } from './orphans.ts';

type Deps = {
  clock: Clock;
  folders: Folders;
  vault: Vault;
  store: Pick<PlansStore, 'findDocument'>;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  capsules: CapsulesService;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'openSnapshot' | 'watch' | 'catchUp'>;
  states: StateVersionsService;
  stalenessNotifier: Pick<StalenessNotifier, 'catchUp'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  grants: Pick<Grants, 'open'>;
};

const isDestroy = ({ type }: ApplyRun): boolean => type === 'destroy_apply';

type Committed = { stateVersionId: string; outputId: string };

const feedPage = 5_000;
const namedUnfinished = 100;

/**
 * Commits the complete or partial result of an apply: StateVersion, Outputs, the Capsule's pointers and the Run, in the caller's
 * transaction. An apply that dispatched a provider always advances the state generation, so that no older plan can be applied.
 */
export function createApplyFinish(deps: Deps) {
  const { clock, runs, capsules, states } = deps;
  const recordActivity = createRunRecorder(deps.activity);
  const readEnd = createApplyEnd(deps);
  const valuesOf = createRunValues(deps);
  const secretsOf = (run: ApplyRun): string[] => [...valuesOf(run).secrets, ...secretsIn(deps.grants.open(run))];

  /** A value is secret when it is a secret value, or contains one in any encoding. */
  const secretTestOf = (run: ApplyRun): SecretTest => {
    const secrets = secretsOf(run);
    const isPlain = createSecretTest(secrets);
    const { address: withoutLong } = createRedactor(secrets);
    return (text) => isPlain(text) || withoutLong(text) !== text;
  };

  const endCommit = (id: string): void => runs.append(id, [phaseItem('commit', 'finished', clock.now())]);

  return (run: ApplyRun, outcome: ApplyOutcome | LostApply): void => {
    runs.append(run.id, [phaseItem('commit', 'started', clock.now())]);
    const end = readEnd(run, outcome);
    // A tool that never started has no new state: its state is the one it received.
    if (!end.providerDispatched || !mayCommit(run, end)) fail(run, end, []);
    else if (end.succeeded && end.text !== undefined) succeed(run, commit(run, end, end.text));
    else commitPartial(run, end);
  };

  /** Commits an empty state when no state of a first apply can be read: created resources are orphans then. */
  function commitPartial(run: ApplyRun, end: ApplyEnd): void {
    const before = states.openCurrent(run.capsuleId)?.text;
    const after = end.text ?? before ?? emptyState(randomUUID(), run.facts.toolVersion ?? '');
    commit(run, end, after);
    fail(run, end, leftovers(run, end, { before, after }));
  }

  /** A lost apply ends also when the Capsule has changed since; a success is refused then. */
  function mayCommit(run: ApplyRun, { succeeded }: ApplyEnd): boolean {
    const { status, executionAuthorityEpoch, currentStateGeneration } = capsules.getRow(run.capsuleId);
    if (succeeded) return true;
    return (
      status !== 'destroyed' &&
      status !== 'disabled' &&
      executionAuthorityEpoch === run.executionAuthorityEpoch &&
      currentStateGeneration === run.baseStateGeneration
    );
  }

  function commit(run: ApplyRun, { succeeded }: ApplyEnd, text: string): Committed {
    const capsule = capsules.getRow(run.capsuleId);
    const { allOutputs, parts } = deps.configs.getPrivate(run.input.installConfigId);
    const notifyConsumers = deps.dependencies.watch(capsule.id);
    const committed = states.commit({
      workspaceId: run.workspaceId,
      capsuleId: capsule.id,
      environment: capsule.environment,
      generation: capsule.currentStateGeneration + 1,
      runId: run.id,
      sourceSnapshotId: run.facts.sourceSnapshotId,
      toolName: run.facts.toolName ?? 'tofu',
      text,
      partial: !succeeded,
      isSecret: secretTestOf(run),
      publish: { all: allOutputs, allowlist: parts.outputAllowlist },
    });
    runs.append(
      run.id,
      committed.mistyped.map((name) => mistypedItem(clock.now(), name)),
    );
    moveCapsule(run, succeeded, committed);
    notifyConsumers();
    if (succeeded && !isDestroy(run)) {
      deps.dependencies.catchUp(capsule.id, run.input.dependencySnapshotId);
      deps.stalenessNotifier.catchUp(capsule.id);
    }
    return committed;
  }

  function moveCapsule(run: ApplyRun, succeeded: boolean, { stateVersionId }: Committed): void {
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

  /** Resources that may exist without being in any state, and unfinished operations. */
  function leftovers(
    run: ApplyRun,
    end: ApplyEnd,
    { before, after }: { before: string | undefined; after: string },
  ): FeedItem[] {
    const now = clock.now();
    const reported = listReported(run.id);
    const redact = createRedactor(secretsOf(run)).address;
    const stateIn = (one: string | undefined): State | undefined => (one === undefined ? undefined : readState(one));
    const orphans = findOrphans({
      planned: deps.store.findDocument(run.planRunId)?.resources ?? [],
      reported,
      before: livingIn(stateIn(before), redact),
      after: livingIn(stateIn(after), redact),
      isContinuous: end.isContinuous,
    });
    const unfinished = unfinishedIn(reported).slice(0, namedUnfinished).join(', ');
    const open =
      unfinished === '' ? [] : [failureItem(now, end.errorCode, `Started and not reported as finished: ${unfinished}`)];
    return [...open, ...orphanItems(orphans, now)];
  }

  /** All resource events of the feed, in order. */
  function listReported(runId: string): ResourceReport[] {
    const reported: ResourceReport[] = [];
    for (let after = 0; ; ) {
      const items = runs.feed.listKind(runId, 'resource', { after, limit: feedPage });
      for (const { payload } of items) if (payload['state'] !== 'progress') reported.push(payload as ResourceReport);
      after = items.at(-1)?.seq ?? after;
      if (items.length < feedPage) return reported;
    }
  }

  function succeed(run: ApplyRun, { stateVersionId, outputId }: Committed): void {
    endCommit(run.id);
    runs.move(run.id, 'finish', {
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [auditItem(endEventOf(run, 'completed'), clock.now(), { data: { stateVersionId, outputId } })],
    });
    recordActivity(run, isDestroy(run) ? 'run.destroyed' : 'run.applied', { metadata: { stateVersionId, outputId } });
    if (isDestroy(run)) recordDestroyed(run);
  }

  function recordDestroyed(run: ApplyRun): void {
    deps.activity.record({
      workspaceId: run.workspaceId,
      action: 'capsule.destroyed',
      targetType: 'capsule',
      targetId: run.capsuleId,
      runId: run.id,
      metadata: { name: run.capsuleName ?? '' },
    });
    // Queued Runs of a destroyed Capsule are ended.
    for (const waiting of runs.store.listWaiting(run.capsuleId)) {
      runs.move(waiting.id, 'cancel', { items: [auditItem(`${runKindOf(waiting)}.cancelled`, clock.now())] });
      recordActivity(waiting, 'run.cancelled');
    }
  }

  function fail(run: ApplyRun, end: ApplyEnd, left: readonly FeedItem[]): void {
    const { errorCode, providerDispatched, unreported } = end;
    const now = clock.now();
    endCommit(run.id);
    // After a change that was not reviewed, a person decides about each update.
    if (end.hasDeviated) capsules.stopAutoUpdate(run.capsuleId);
    runs.move(run.id, 'fail', {
      set: { errorCode },
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [
        ...(unreported === undefined ? [] : [failureItem(now, errorCode, unreported)]),
        ...left,
        auditItem(endEventOf(run, 'failed'), now, {
          data: { errorCode, providerDispatched, providerApplySucceeded: false },
        }),
      ],
    });
    recordActivity(run, 'run.failed', { metadata: { errorCode } });
  }
}

const mistypedItem = (at: number, name: string): FeedItem =>
  warningItem(
    at,
    'output_type_mismatch',
    `The Output "${name}" is not public: its value has another type than the configuration declares. Correct the module or the configuration.`,
  );
