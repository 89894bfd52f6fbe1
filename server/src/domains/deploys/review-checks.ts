import type { CapsuleRow } from '#server/domains/capsules/index';
import type { RunRecord } from '#server/domains/runs/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import { failedPrecondition } from '#server/kernel/errors';
import type { PreconditionReason } from '#shared/errors';
import type { PolicyConfig } from '#shared/workspaces/contract';
import type { PlanSeal } from './store.ts';

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
  tool_version_changed: 'The tool on this server is not the one that created the plan. Plan again.',
  capsule_disabled: 'This Capsule is disabled by the operator.',
  capsule_destroyed: 'This Capsule was destroyed.',
} as const satisfies Partial<Record<PreconditionReason, string>>;

/** The refusal of a review step, with its message. */
export const refusalOf = (reason: keyof typeof messages) => failedPrecondition(reason, messages[reason]);

/** A reason with its condition, and a message where the default does not fit. */
type Check = readonly [keyof typeof messages, boolean | (() => boolean), string?];

const obsolete = 'This Capsule has a newer plan. Review that one, or plan again.';

/** Throws 409 for the first check that fails. */
function requireAll(checks: readonly Check[]): void {
  const failed = checks.find(([, broken]) => (typeof broken === 'function' ? broken() : broken));
  if (failed) throw failedPrecondition(failed[0], failed[2] ?? messages[failed[0]]);
}

const overtaken = (run: RunRecord, capsule: CapsuleRow): boolean =>
  run.supersededReason === 'authority_epoch' || run.executionAuthorityEpoch !== capsule.executionAuthorityEpoch;
const moved = (run: RunRecord, capsule: CapsuleRow): boolean =>
  run.supersededAt !== null || run.baseStateGeneration !== capsule.currentStateGeneration;

/** Requires that this person may approve this Run now. */
export function requireReviewable(
  run: RunRecord,
  on: { capsule: CapsuleRow; policies: readonly PolicyConfig[]; actorId: string; now: number; hasNewer: boolean },
): void {
  const secondPerson = on.policies.some((policy) => policy.approval?.requireSecondPerson === true);
  requireAll([
    ['nothing_to_approve', run.status !== 'waiting_approval'],
    ['plan_expired', (run.planExpiresAt ?? 0) <= on.now],
    ['plan_superseded', overtaken(run, on.capsule) || moved(run, on.capsule)],
    ['plan_superseded', on.hasNewer, obsolete],
    ['second_person_required', secondPerson && run.createdBy === on.actorId],
  ]);
}

type ApplyContext = {
  capsule: CapsuleRow;
  seal: PlanSeal | undefined;
  hasPlanFiles: boolean;
  tool: ToolIdentity;
  planDigest: string | undefined;
  /** True when the current policies forbid a plan that earlier policies allowed. */
  isDenied: () => boolean;
  /** Evaluated late, because it opens the values of the Connections. */
  connectionsChanged: () => boolean;
  now: number;
  /** True when a newer plan of the Capsule is reviewable. */
  hasNewer: boolean;
};

/** Requires that this plan may be applied now. The first failed check is reported. */
export function requireAppliable(plan: RunRecord, on: ApplyContext): void {
  const { capsule, seal, tool } = on;
  requireAll([
    ['run_not_appliable', plan.type !== 'plan' && plan.type !== 'destroy_plan'],
    ['plan_not_succeeded', plan.status !== 'succeeded' && plan.status !== 'waiting_approval'],
    ['approval_required', plan.status === 'waiting_approval'],
    ['policy_denied', () => plan.facts.policyStatus === 'deny' || on.isDenied()],
    ['plan_artifact_missing', seal === undefined || !on.hasPlanFiles],
    ['plan_digest_mismatch', on.planDigest !== undefined && on.planDigest !== plan.planDigest],
    ['plan_expired', (plan.planExpiresAt ?? 0) <= on.now],
    ['plan_superseded', overtaken(plan, capsule)],
    ['plan_superseded', on.hasNewer, obsolete],
    ['state_generation_mismatch', moved(plan, capsule)],
    ['provider_connection_changed', on.connectionsChanged],
    ['tool_version_changed', seal?.toolName !== tool.name || seal.toolVersion !== tool.version],
    ['capsule_disabled', capsule.status === 'disabled'],
    ['capsule_destroyed', capsule.status === 'destroyed'],
  ]);
}
