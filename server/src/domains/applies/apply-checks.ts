import type { CapsuleRow } from '#server/domains/capsules/index';
import type { RunTool } from '#server/domains/execution/index';
import {
  hasConfigurationChanged,
  hasStateChanged,
  holdCheckOf,
  newerPlanMessage,
  type PlanSeal,
  requireAll,
} from '#server/domains/plans/index';
import type { PlanRun } from '#server/domains/runs/index';

type ApplyContext = {
  capsule: CapsuleRow;
  seal: PlanSeal | undefined;
  hasPlanFiles: boolean;
  tool: RunTool;
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
export function requireAppliable(plan: PlanRun, on: ApplyContext): void {
  const { capsule, seal, tool } = on;
  requireAll([
    ['run_not_appliable', plan.type !== 'plan' && plan.type !== 'destroy_plan'],
    ['plan_not_succeeded', plan.status !== 'succeeded' && plan.status !== 'waiting_approval'],
    ['approval_required', plan.status === 'waiting_approval'],
    ['policy_denied', () => plan.facts.policyStatus === 'deny' || on.isDenied()],
    ['plan_artifact_missing', seal === undefined || !on.hasPlanFiles],
    ['plan_digest_mismatch', on.planDigest !== undefined && on.planDigest !== plan.planDigest],
    ['plan_expired', (plan.planExpiresAt ?? 0) <= on.now],
    ['plan_superseded', hasConfigurationChanged(plan, capsule)],
    ['plan_superseded', on.hasNewer, newerPlanMessage],
    ['state_generation_mismatch', hasStateChanged(plan, capsule)],
    ['provider_connection_changed', on.connectionsChanged],
    ['tool_version_changed', seal?.toolName !== tool.name || seal.toolVersion !== tool.version],
    ['capsule_disabled', capsule.status === 'disabled'],
    holdCheckOf(capsule, on.now),
    ['capsule_destroyed', capsule.status === 'destroyed'],
  ]);
}
