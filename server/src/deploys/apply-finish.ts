import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ActivityService } from '#server/activity/index';
import type { CapsulesService } from '#server/capsules/index';
import type { ConfigsService } from '#server/configs/index';
import type { Clock } from '#server/kernel/clock';
import type { ApplyOutcome } from '#server/runner/index';
import { auditItem, phaseItem, type RunRecord, type RunsService } from '#server/runs/index';
import type { SourcesService } from '#server/sources/index';
import type { StatesService } from '#server/states/index';
import { createSecretTest, openSealed } from '#server/tofu/index';
import type { Vault } from '#server/vault/index';
import type { AdoptedSourceRevision } from '#shared/capsules/contract';
import type { RunErrorCode } from '#shared/errors';
import { createRunDeed } from './deeds.ts';
import { failureItem } from './ingest.ts';
import { type DeployInput, type Folders, runDirOf, secretTexts } from './job-spec.ts';
import { phaseTimingsOf } from './timings.ts';

type Deps = {
  clock: Clock;
  folders: Folders;
  vault: Vault;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  capsules: CapsulesService;
  configs: Pick<ConfigsService, 'getPrivate'>;
  states: StatesService;
  sources: Pick<SourcesService, 'findSnapshot'>;
};

/** Commits what an apply reached, whole or in part: StateVersion, Outputs, the Capsule's pointers and the Run, in the caller's transaction. */
export function createApplyFinish(deps: Deps) {
  const { clock, runs, capsules, states } = deps;
  const deed = createRunDeed(deps.activity);

  return (run: RunRecord, outcome: ApplyOutcome): void => {
    const started = clock.now();
    runs.append(run.id, [phaseItem('commit', 'started', started)]);
    // A tool that never began has nothing to keep: the state it leaves is the one it was given.
    const isDecisive = outcome.succeeded || outcome.providerDispatched;
    const committed = isDecisive && outcome.state ? commitState(run, outcome, outcome.state.file) : undefined;
    moveCapsule(run, outcome, committed);
    runs.append(run.id, [phaseItem('commit', 'finished', clock.now())]);
    if (outcome.succeeded && committed) succeed(run, committed);
    else fail(run, outcome);
  };

  function commitState(run: RunRecord, outcome: ApplyOutcome, file: string) {
    const sealed = readFileSync(path.join(runDirOf(deps.folders, run.id), file));
    const text = openSealed(sealed, deps.vault.capsuleKey(run.capsuleId ?? '').toString('base64')).toString();
    const capsule = capsules.getRow(run.capsuleId ?? '');
    return states.commit({
      workspaceId: run.workspaceId,
      capsuleId: capsule.id,
      environment: capsule.environment,
      generation: capsule.currentStateGeneration + 1,
      runId: run.id,
      sourceSnapshotId: run.facts.sourceSnapshotId,
      toolName: run.facts.toolName ?? 'tofu',
      text,
      partial: !outcome.succeeded,
      isSecret: createSecretTest(secretTexts(deps.configs.getPrivate((run.input as DeployInput).installConfigId))),
    });
  }

  function moveCapsule(run: RunRecord, outcome: ApplyOutcome, committed: { stateVersionId: string } | undefined): void {
    const generation = run.baseStateGeneration ?? 0;
    const pointers = committed && {
      currentStateVersionId: committed.stateVersionId,
      currentStateGeneration: generation + 1,
    };
    const fence = { epoch: run.executionAuthorityEpoch ?? 0, generation };
    const capsuleId = run.capsuleId ?? '';
    if (outcome.succeeded) {
      const change = { runtimeSafety: 'safe' as const, ...pointers, ...adoptedBy(run) };
      capsules.commitApply(capsuleId, 'apply', { fence, change });
    } else if (outcome.providerDispatched) {
      capsules.commitApply(capsuleId, 'fail', { fence, change: { runtimeSafety: 'unknown', ...pointers } });
    }
    if (committed) runs.supersede(capsuleId, 'state_generation');
  }

  /** Only a successful apply makes a Capsule follow the snapshot of its plan. */
  function adoptedBy(run: RunRecord): { adoptedSourceRevision?: AdoptedSourceRevision } {
    const snapshot = deps.sources.findSnapshot((run.input as DeployInput).sourceSnapshotId);
    if (!snapshot) return {};
    const { id: sourceSnapshotId, ref, path: sourcePath, resolvedCommit } = snapshot;
    return { adoptedSourceRevision: { sourceSnapshotId, ref, path: sourcePath, resolvedCommit } };
  }

  function succeed(run: RunRecord, { stateVersionId, outputId }: { stateVersionId: string; outputId: string }): void {
    runs.move(run.id, 'finish', {
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [auditItem('apply.completed', clock.now(), { data: { stateVersionId, outputId } })],
    });
    deed(run, 'run.applied', { metadata: { stateVersionId, outputId } });
  }

  function fail(run: RunRecord, outcome: ApplyOutcome): void {
    const now = clock.now();
    const errorCode: RunErrorCode = outcome.errorCode ?? 'state_save_failed';
    // The supervisor has told its own error already; this one is for a success whose state is missing.
    const untold =
      outcome.errorCode === undefined
        ? [failureItem(now, errorCode, 'The apply left no state. Check its resources, then plan again.')]
        : [];
    const unfinished = outcome.unfinished.slice(0, 100);
    const left =
      unfinished.length > 0
        ? [failureItem(now, errorCode, `Started and not reported as finished: ${unfinished.join(', ')}`)]
        : [];
    runs.move(run.id, 'fail', {
      set: { errorCode },
      facts: { phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [
        ...untold,
        ...left,
        auditItem('apply.failed', now, {
          data: { errorCode, providerDispatched: outcome.providerDispatched, providerApplySucceeded: false },
        }),
      ],
    });
    deed(run, 'run.failed', { metadata: { errorCode } });
  }
}
