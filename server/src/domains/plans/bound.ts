import type { CapsuleRow } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import {
  type BindingResolution,
  blockMessage,
  isUnbound,
  type ProviderBindingsService,
  requireSupported,
} from '#server/domains/provider-bindings/index';
import type { BoundInput, CapsuleRun, PlanRun } from '#server/domains/runs/index';
import type { InspectionService, ReportRow } from '#server/domains/sources/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import { jsonDigest } from '#server/kernel/digest';
import type { RunErrorCode } from '#shared/errors';
import { isApplyType } from '#shared/runs/contract';
import { vendor } from '#shared/vendor';

type Tool = Pick<ToolIdentity, 'name' | 'version'>;
type Deps = {
  bindings: Pick<ProviderBindingsService, 'listBindings' | 'resolve'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'listInjectedVariables'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
};
export type BoundPlans = ReturnType<typeof createBoundPlans>;

/** Version of the redaction rules for the text of a Run. */
const redactionProfileId = `${vendor}.redaction/v1`;

/** Connections of plans and applies: resolved when a Run is created, and again when it starts. */
export function createBoundPlans({ bindings, configs, dependencies, inspection }: Deps) {
  const resolveBindings = (
    at: { capsuleId: string; workspaceId: string; installConfigId: string },
    report: ReportRow,
    tool: Tool,
  ) => {
    const config = configs.getPrivate(at.installConfigId);
    return bindings.resolve({
      workspaceId: at.workspaceId,
      report,
      tool,
      bindings: bindings.listBindings(at.capsuleId),
      assigned: [...Object.keys(config.variables), ...dependencies.listInjectedVariables(at.capsuleId)],
      policy: config.policy,
    });
  };
  const againFor = ({ input, capsuleId, workspaceId }: CapsuleRun, tool: Tool): BindingResolution => {
    const { installConfigId, reportId } = input;
    const at = { capsuleId, workspaceId, installConfigId };
    return resolveBindings(at, inspection.getReportRow(reportId), tool);
  };
  /** A Run of a Capsule without bindings, which is the common case. */
  const isPlain = ({ input, capsuleId }: CapsuleRun): boolean =>
    input.bound === undefined && bindings.listBindings(capsuleId).length === 0;

  return {
    /**
     * Resolves the providers of a new plan. 409 `provider_connection_not_ready` for a Connection that cannot be used, 409
     * `provider_connection_setup_required` for a provider that needs one; a policy that blocks a provider is recorded in the resolutions
     * and ends the Run.
     */
    pin(capsule: CapsuleRow, report: ReportRow, tool: Tool) {
      const { installConfigId, workspaceId } = capsule;
      const resolution = resolveBindings({ capsuleId: capsule.id, workspaceId, installConfigId }, report, tool);
      requireSupported(resolution.resolutions);
      const bound = boundOf(resolution);
      return {
        input: bound && { bound },
        detail: resolution.resolutions.length > 0 ? { providerResolutions: resolution.resolutions } : {},
        facts: bound ? { runEnvironmentEvidenceDigest: jsonDigest(resolution.exposedNames), redactionProfileId } : {},
      };
    },

    /** True when a Connection of a plan, or its bindings, changed since the plan was created. */
    hasChanged: (plan: PlanRun, tool: Tool): boolean =>
      !isPlain(plan) && againFor(plan, tool).digest !== plan.input.bound?.digest,

    /** Returns the Connections of a Run that starts, or the reason that it must not start. */
    start(
      run: CapsuleRun,
      tool: Tool,
    ): { refusal: { code: RunErrorCode; message: string } } | { resolution?: BindingResolution } {
      if (isPlain(run)) return {};
      const resolution = againFor(run, tool);
      const missing = resolution.resolutions.find(({ status }) => status === 'blocked_missing_connection');
      if (missing && !isApplyType(run.type)) {
        const code = isUnbound(missing) ? 'provider_connection_setup_required' : 'provider_connection_not_ready';
        return { refusal: { code, message: blockMessage(missing) } };
      }
      if (resolution.digest !== run.input.bound?.digest) {
        const message = missing
          ? blockMessage(missing)
          : 'The Connections of this plan have changed since it was created. Plan again.';
        return { refusal: { code: 'provider_connection_changed', message } };
      }
      const denied = resolution.resolutions.find(({ status }) => status === 'blocked_policy');
      return denied ? { refusal: { code: 'credential_policy_failed', message: blockMessage(denied) } } : { resolution };
    },
  };
}

const boundOf = ({ digest, supported, moduleInputs }: BindingResolution): BoundInput | undefined =>
  digest === undefined
    ? undefined
    : { digest, connectionIds: [...new Set(supported.map(({ description }) => description.id))], inputs: moduleInputs };
