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
import type { RunRecord } from '#server/domains/runs/index';
import type { InspectionService, ReportRow } from '#server/domains/sources/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import { jsonDigest } from '#server/kernel/digest';
import type { RunErrorCode } from '#shared/errors';
import type { JsonObject } from '#shared/kernel/json';
import { isApplyType } from '#shared/runs/contract';
import { vendor } from '#shared/vendor';

/** What a Run pins of its Connections when it is planned; names and what is no secret. */
export type BoundInput = {
  /** Of tuples, Connections and what those are. */
  digest: string;
  connectionIds: string[];
  /** Defaults that Connections give variables of the module. */
  inputs: JsonObject;
};
type Tool = Pick<ToolIdentity, 'name' | 'version'>;
type Deps = {
  bindings: Pick<ProviderBindingsService, 'listBindings' | 'resolve'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'listInjectedVariables'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
};
export type BoundPlans = ReturnType<typeof createBoundPlans>;

/** By which rules the texts of a Run are redacted. */
export const redactionProfileId = `${vendor}.redaction/v1`;

/** The Connections of plans and applies: asked when a Run is made, and again when it starts. */
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
  const againFor = (run: RunRecord, tool: Tool): BindingResolution => {
    const { installConfigId, reportId } = run.input as { installConfigId: string; reportId: string };
    const at = { capsuleId: run.capsuleId ?? '', workspaceId: run.workspaceId, installConfigId };
    return resolveBindings(at, inspection.getReportRow(reportId), tool);
  };
  const pinnedBy = (run: RunRecord): BoundInput | undefined => run.input['bound'] as BoundInput | undefined;
  /** A Run of a Capsule that nothing is bound to, as most are. */
  const isPlain = (run: RunRecord): boolean =>
    pinnedBy(run) === undefined && bindings.listBindings(run.capsuleId ?? '').length === 0;

  return {
    /**
     * How the providers of a new plan are served. 409 `provider_connection_not_ready` for a Connection that cannot be
     * used, 409 `provider_connection_setup_required` for a provider that needs one; what a policy blocks stands in the
     * resolutions and ends the Run.
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

    /** Whether a Connection of a plan, or what is bound, is another than when it was made. */
    hasChanged: (plan: RunRecord, tool: Tool): boolean =>
      !isPlain(plan) && againFor(plan, tool).digest !== pinnedBy(plan)?.digest,

    /** What a Run that starts is served with, or why it must not start. */
    start(
      run: RunRecord,
      tool: Tool,
    ): { refusal: { code: RunErrorCode; message: string } } | { resolution?: BindingResolution } {
      if (isPlain(run)) return {};
      const resolution = againFor(run, tool);
      const missing = resolution.resolutions.find(({ status }) => status === 'blocked_missing_connection');
      if (missing && !isApplyType(run.type)) {
        const code = isUnbound(missing) ? 'provider_connection_setup_required' : 'provider_connection_not_ready';
        return { refusal: { code, message: blockMessage(missing) } };
      }
      if (resolution.digest !== pinnedBy(run)?.digest) {
        const message = missing
          ? blockMessage(missing)
          : 'The Connections of this plan have changed since. Plan again.';
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
