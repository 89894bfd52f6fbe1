import { type CapsuleRow, findHold, heldMessage } from '#server/domains/capsules/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import { failedPrecondition } from '#server/kernel/errors';
import type { PreconditionReason } from '#shared/errors';

const messages = {
  nothing_to_approve: 'This Run does not wait for an approval.',
  second_person_required: 'You created this plan, so you cannot approve it. Ask a second person.',
  run_not_appliable: 'Only a plan can be applied.',
  plan_not_succeeded: 'This plan did not succeed, so it cannot be applied. Plan again.',
  approval_required:
    'This plan destroys, replaces or forgets something, or a policy requires approval. Approve it first.',
  policy_denied: 'A policy denies this plan. Plan again to see what it does not allow.',
  plan_artifact_missing: 'The sealed plan does not exist any more. Plan again.',
  plan_digest_mismatch: 'This is not the plan you reviewed. Reload and review it again.',
  plan_expired: 'This plan is too old to be applied. Plan again.',
  plan_superseded: 'The Capsule has changed since this plan was created. Plan again.',
  state_generation_mismatch:
    'state_generation_mismatch: the state has changed since this plan was created. Plan again.',
  provider_connection_changed:
    'A Connection of this plan was revoked, has expired, or is bound differently now. Plan again.',
  tool_version_changed: 'No machine that could apply this plan has the tool that created it. Plan again.',
  capsule_disabled: 'This Capsule is disabled by the operator.',
  capsule_destroyed: 'This Capsule was destroyed.',
  capsule_held: 'This Capsule is held, so nothing is applied.',
} as const satisfies Partial<Record<PreconditionReason, string>>;

/** The refusal of a review step, with its message. */
export const refusalOf = (reason: keyof typeof messages) => failedPrecondition(reason, messages[reason]);

/** A reason with its condition, and a message where the default does not fit. */
type Check = readonly [keyof typeof messages, boolean | (() => boolean), string?];

/** Message of `plan_superseded` for a plan that a newer one replaced. */
export const newerPlanMessage = 'This Capsule has a newer plan. Review that one, or plan again.';

/** The check that a Capsule is not held. Its message quotes the reason. */
export function holdCheckOf(capsule: CapsuleRow, now: number): Check {
  const hold = findHold(capsule, now);
  return hold ? ['capsule_held', true, heldMessage(hold)] : ['capsule_held', false];
}

/** Throws 409 for the first check that fails. */
export function requireAll(checks: readonly Check[]): void {
  const failed = checks.find(([, broken]) => (typeof broken === 'function' ? broken() : broken));
  if (failed) throw failedPrecondition(failed[0], failed[2] ?? messages[failed[0]]);
}

/** Reports whether the configuration of the Capsule changed since the plan. */
export const hasConfigurationChanged = (run: RunRecord, capsule: CapsuleRow): boolean =>
  run.supersededReason === 'authority_epoch' || run.executionAuthorityEpoch !== capsule.executionAuthorityEpoch;
/** Reports whether the state of the Capsule changed since the plan. */
export const hasStateChanged = (run: RunRecord, capsule: CapsuleRow): boolean =>
  run.supersededAt !== null || run.baseStateGeneration !== capsule.currentStateGeneration;

type ReviewPorts = { capsule: CapsuleRow; runs: Pick<RunsService, 'findNewerPlan'>; now: number };

/** Checks that a computed plan can still be approved, applied, or recommended to someone who may. */
export const reviewChecks = (run: RunRecord, { capsule, runs, now }: ReviewPorts): readonly Check[] => [
  holdCheckOf(capsule, now),
  ['plan_expired', (run.planExpiresAt ?? 0) <= now],
  ['plan_superseded', hasConfigurationChanged(run, capsule) || hasStateChanged(run, capsule)],
  ['plan_superseded', () => runs.findNewerPlan(run) !== undefined, newerPlanMessage],
];
