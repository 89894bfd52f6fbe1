import type { DependenciesService } from '#server/domains/dependencies/index';
import type { StartCheck } from '#server/domains/execution/index';
import { isApplyType } from '#shared/runs/contract';
import type { PolicyGate } from './policy-gate.ts';

const maxReportedDenials = 8;

type Ports = { policyGate: PolicyGate; dependencies: Pick<DependenciesService, 'findRefusal'> };

/** The checks of policies and of values from other Capsules when a Run starts. */
export function createPlanChecks({ policyGate, dependencies }: Ports): StartCheck[] {
  /** Providers and programs that a policy forbids are neither fetched nor started. */
  const checkPolicy: StartCheck = (run) => {
    const denied = policyGate(run, run.planRunId);
    if (denied.length === 0) return undefined;
    return { code: 'policy_denied', message: denied.slice(0, maxReportedDenials).join(' ') };
  };
  /**
   * A plan uses no share that was revoked; an apply uses the values that were reviewed. The values of a destroy are in
   * the state, so a producer cannot prevent that its consumer is destroyed.
   */
  const checkShares: StartCheck = ({ type, facts: { dependencySnapshotId } }) => {
    if (isApplyType(type) || type === 'destroy_plan' || dependencySnapshotId === undefined) return undefined;
    const message = dependencies.findRefusal(dependencySnapshotId);
    return message === undefined ? undefined : { code: 'dependency_output_missing', message };
  };
  return [checkPolicy, checkShares];
}
