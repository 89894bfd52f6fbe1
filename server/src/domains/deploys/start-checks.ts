import type { CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import { leastFreeBytes } from '#server/kernel/disk';
import type { RunErrorCode } from '#shared/errors';
import { isApplyType } from '#shared/runs/contract';
import type { BoundInput } from './bound.ts';
import { planDigestOf } from './plan-finish.ts';
import type { PolicyGate } from './policy-gate.ts';
import type { DeploysStore } from './store.ts';

/** Reason that a Run ends before it starts. */
export type Refusal = { code: RunErrorCode; message: string };
const maxReportedDenials = 8;
type Ports = {
  /** Bytes that may still be written to the data folder. */
  freeBytes: () => number;
  tool: ToolIdentity;
  store: DeploysStore;
  runs: Pick<RunsService, 'getRecord' | 'findNewerPlan'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'findCurrentHead'>;
  dependencies: Pick<DependenciesService, 'findRefusal'>;
  policyGate: PolicyGate;
};

/** Checks a Run again when it starts: a difference found here fails the Run, not the Capsule. */
export function findStartRefusal(run: RunRecord, ports: Ports): Refusal | undefined {
  const capsule = ports.capsules.getRow(run.capsuleId ?? '');
  const head = ports.states.findCurrentHead(capsule.id);
  if (head && head.toolName !== ports.tool.name) {
    return {
      code: 'tool_version_changed',
      message: `The state was written by ${head.toolName}, and this server now runs ${ports.tool.name}. Use the same tool again.`,
    };
  }
  if (capsule.executionAuthorityEpoch !== run.executionAuthorityEpoch) {
    return {
      code: 'plan_superseded',
      message: 'The configuration of the Capsule has changed since this plan. Plan again.',
    };
  }
  if (capsule.currentStateGeneration !== run.baseStateGeneration) {
    return {
      code: 'state_generation_mismatch',
      message: 'The state of the Capsule has changed since this plan. Plan again.',
    };
  }
  if (ports.freeBytes() < leastFreeBytes) {
    return {
      code: 'disk_full',
      message:
        'The disk of the data folder is nearly full, and a new state may not fit. Free some space and try again.',
    };
  }
  const denied = ports.policyGate(run, run.planRunId);
  // Providers and programs that a policy forbids are neither fetched nor started.
  if (denied.length > 0) return { code: 'policy_denied', message: denied.slice(0, maxReportedDenials).join(' ') };
  if (isApplyType(run.type)) return findSealRefusal(run, ports);
  // The values are in the state by now, and a producer must not prevent the consumer from being destroyed.
  return run.type === 'destroy_plan' ? undefined : findShareRefusal(run, ports);
}

/** A plan uses no share that was revoked; an apply uses the values that were reviewed. */
function findShareRefusal({ facts }: RunRecord, { dependencies }: Ports): Refusal | undefined {
  const { dependencySnapshotId } = facts;
  const message = dependencySnapshotId === undefined ? undefined : dependencies.findRefusal(dependencySnapshotId);
  return message === undefined ? undefined : { code: 'dependency_output_missing', message };
}

function findSealRefusal(run: RunRecord, { store, runs, tool }: Ports): Refusal | undefined {
  const plan = runs.getRecord(run.planRunId ?? '');
  if (runs.findNewerPlan(plan) !== undefined) {
    const message = 'A newer plan of this Capsule was created before this apply started. Review that one.';
    return { code: 'plan_superseded', message };
  }
  const seal = store.findSeal(plan.id);
  const broken = {
    code: 'plan_seal_mismatch' as const,
    message: 'The reviewed plan does not match its seal any more. Plan again.',
  };
  if (!seal) return broken;
  if (seal.toolName !== tool.name || seal.toolVersion !== tool.version) {
    return {
      code: 'tool_version_changed',
      message: `The plan was created by ${seal.toolName} ${seal.toolVersion}. Plan again with the current tool.`,
    };
  }
  const digest = planDigestOf(seal, {
    commit: plan.facts.resolvedCommit ?? '',
    epoch: plan.executionAuthorityEpoch ?? 0,
  });
  const { bound } = run.input as { bound?: BoundInput };
  const isBound = plan.detail.applyExpected?.resolvedProviderBindingsDigest === bound?.digest;
  return isBound && digest === plan.planDigest && digest === run.planDigest ? undefined : broken;
}
