import type { InspectionService, ReportRow, ToolOfScan } from '#server/domains/sources/index';
import { type Mount, ok } from '#server/kernel/http/index';
import { required } from '#server/kernel/required';
import { nothingLeft } from '#shared/kernel/endpoint';
import { providerBindingsApi } from '#shared/provider-bindings/api';
import type { ModuleBindingsInput } from './resolution.ts';
import type { ProviderBindingsService } from './service.ts';

type Parts = {
  bindings: ProviderBindingsService;
  inspection: Pick<InspectionService, 'getReportRow'>;
  /** Returns the tool of this machine, or the pinned one when none is installed. */
  findTool: () => Promise<ToolOfScan>;
  /** Returns the input of a Capsule's next plan; undefined while it cannot be planned. */
  findNextPlan: (
    capsuleId: string,
  ) => (Pick<ModuleBindingsInput, 'workspaceId' | 'assigned' | 'policy'> & { report: ReportRow }) | undefined;
};

const bindingsField = '/providerBindings';

export const providerBindingsRoutes = (mount: Mount, { bindings, inspection, findTool, findNextPlan }: Parts): void =>
  mount(providerBindingsApi, {
    getProviderBindings: async ({ params: { capsuleId } }) => {
      const tool = await findTool();
      const providerBindingSet = bindings.findSet(capsuleId);
      const next = findNextPlan(capsuleId);
      if (!next) return ok({ providerBindingSet });
      const resolution = bindings.resolve({ ...next, tool, bindings: providerBindingSet?.bindings ?? [] });
      return ok({
        providerBindingSet,
        providerRequirements: resolution.requirements,
        providerResolutions: resolution.resolutions,
        reach: resolution.exposedNames,
      });
    },
    previewProviderBindings: async ({ params, body }) => {
      const tool = await findTool();
      const report = inspection.getReportRow(params.reportId);
      const { workspaceId } = report;
      const { providerBindings, variables = [], ...rest } = body;
      nothingLeft(rest);
      bindings.requireFitting({ workspaceId, bindings: providerBindings, report }, bindingsField);
      const resolution = bindings.resolve({
        workspaceId,
        report,
        bindings: providerBindings,
        tool,
        assigned: variables,
      });
      return ok({
        providerRequirements: resolution.requirements,
        providerResolutions: resolution.resolutions,
        reach: resolution.exposedNames,
      });
    },
    listBoundCapsules: ({ params, query, caller }) =>
      ok(
        bindings.listBoundCapsules(
          { connectionId: params.connectionId, workspaceId: required(caller.workspaceId, 'Workspace of the caller') },
          query,
        ),
      ),
  });
