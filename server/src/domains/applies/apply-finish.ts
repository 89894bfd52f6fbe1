import { randomUUID } from 'node:crypto';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { Folders, LostApply } from '#server/domains/execution/index';
import type { PlansStore } from '#server/domains/plans/index';
import { type ApplyRun, phaseItem } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { emptyState } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { ApplyOutcome } from '#server/runner/index';
import { actionsOfPhase } from '#shared/install-configs/lifecycle';
import { createActionsFinish } from './actions-finish.ts';
import { type ClientPorts, createClientRecorder } from './apply-client.ts';
import { type CommitPorts, type Committed, createApplyCommit, isDestroy } from './apply-commit.ts';
import { type ApplyEnd, createApplyEnd } from './apply-end.ts';
import { createInterfaceRecorder, type InterfacePorts } from './apply-interfaces.ts';
import { createLeftovers } from './apply-leftovers.ts';
import { createApplyRunEnds } from './apply-run-ends.ts';
import { createApplySecrets, type SecretPorts, secretTestOf } from './apply-secrets.ts';
import { arrivalItem } from './arrival-item.ts';

type Deps = CommitPorts &
  ClientPorts &
  InterfacePorts &
  SecretPorts &
  Parameters<typeof createApplyRunEnds>[0] & {
    folders: Folders;
    vault: Vault;
    store: Pick<PlansStore, 'findDocument'>;
    states: Pick<StateVersionsService, 'openCurrent'>;
    capsules: Pick<CapsulesService, 'getRow'>;
  };

/**
 * Commits the complete or partial result of an apply: StateVersion, Outputs, the Capsule's pointers and the Run, in the
 * caller's transaction. An apply that dispatched a provider always advances the state generation, so that no older plan
 * can be applied.
 */
export function createApplyFinish(deps: Deps) {
  const { clock, runs, capsules, states } = deps;
  const readEnd = createApplyEnd(deps);
  const { secretsOf } = createApplySecrets(deps);
  const leftovers = createLeftovers({ ...deps, secretsOf });
  const stateCommit = createApplyCommit(deps);
  const ends = createApplyRunEnds(deps);
  const recordInterfaces = createInterfaceRecorder(deps);
  const recordClient = createClientRecorder(deps);
  const recordServices = (run: ApplyRun, committed: Committed): void => {
    recordInterfaces(run, committed);
    recordClient(run);
  };

  const commit = (run: ApplyRun, { succeeded }: ApplyEnd, text: string, isContinued = false): Committed => {
    const secrets = secretsOf(run);
    return stateCommit.commit(run, { text, succeeded, isContinued, secrets, isSecret: secretTestOf(secrets) });
  };

  const hasActionsAfter = (run: ApplyRun): boolean =>
    !isDestroy(run) &&
    actionsOfPhase(deps.configs.getPrivate(run.input.installConfigId).parts, 'post_apply').length > 0;

  /** Commits an empty state when no state of a first apply can be read: created resources are orphans then. */
  function commitPartial(run: ApplyRun, end: ApplyEnd): void {
    const before = states.openCurrent(run.capsuleId)?.text;
    const after = end.text ?? before ?? emptyState(randomUUID(), run.facts.toolVersion ?? '');
    const { generation } = commit(run, end, after);
    const arrival = end.arrival ? [arrivalItem(clock.now(), end.arrival.at, { text: after, generation })] : [];
    ends.fail(run, end, [...arrival, ...leftovers(run, end, { before, after })]);
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

  function succeed(run: ApplyRun, end: ApplyEnd, text: string): void {
    if (hasActionsAfter(run)) {
      continueWithActions(run, end, text);
      return;
    }
    const committed = commit(run, end, text);
    if (!isDestroy(run)) recordServices(run, committed);
    ends.succeed(run, committed);
  }

  /** Commits the state; the Run stays `running` until its actions have ended. */
  function continueWithActions(run: ApplyRun, end: ApplyEnd, text: string): void {
    const { stateVersionId, outputId, generation } = commit(run, end, text, true);
    runs.extendInput(runs.getCapsuleRun(run.id), { committed: { stateVersionId, outputId, generation } });
    ends.endCommit(run.id);
  }

  const finishApply = (run: ApplyRun, outcome: ApplyOutcome | LostApply): void => {
    runs.append(run.id, [phaseItem('commit', 'started', clock.now())]);
    const end = readEnd(run, outcome);
    // A tool that never started has no new state: its state is the one it received.
    if (!end.providerDispatched || !mayCommit(run, end)) ends.fail(run, end, []);
    else if (end.succeeded && end.text !== undefined) succeed(run, end, end.text);
    else commitPartial(run, end);
  };
  const conclude = stateCommit.conclude;
  return { finishApply, finishActions: createActionsFinish({ capsules, ends, conclude, recordServices }) };
}
