import type { InspectionService, ReportRow, ToolOfScan } from '#server/domains/sources/index';
import { type Mount, ok } from '#server/kernel/http/index';
import { bindingsApi } from '#shared/bindings/api';
import type { BindingAsk, BindingsService } from './service.ts';

type Parts = {
  bindings: BindingsService;
  inspection: Pick<InspectionService, 'getReportRow'>;
  /** The tool of this machine, or the pinned one while there is none. */
  findTool: () => Promise<ToolOfScan>;
  /** What the next plan of a Capsule is made of; undefined while it cannot be planned. */
  findNextPlan: (
    capsuleId: string,
  ) => (Pick<BindingAsk, 'workspaceId' | 'given' | 'policy'> & { report: ReportRow }) | undefined;
};

const bindingsField = '/providerBindings';

export const bindingsRoutes = (mount: Mount, { bindings, inspection, findTool, findNextPlan }: Parts): void =>
  mount(bindingsApi, {
    getProviderBindings: async ({ params: { capsuleId } }) => {
      const tool = await findTool();
      const providerBindingSet = bindings.findSet(capsuleId);
      const next = findNextPlan(capsuleId);
      if (!next) return ok({ providerBindingSet });
      const found = bindings.resolve({ ...next, tool, bindings: providerBindingSet?.bindings ?? [] });
      return ok({
        providerBindingSet,
        providerRequirements: found.requirements,
        providerResolutions: found.resolutions,
        reach: found.reach,
      });
    },
    previewProviderBindings: async ({ params, body }) => {
      const tool = await findTool();
      const report = inspection.getReportRow(params.reportId);
      const { workspaceId } = report;
      const { providerBindings, variables = [] } = body;
      bindings.requireFitting({ workspaceId, bindings: providerBindings, report }, bindingsField);
      const found = bindings.resolve({ workspaceId, report, bindings: providerBindings, tool, given: variables });
      return ok({
        providerRequirements: found.requirements,
        providerResolutions: found.resolutions,
        reach: found.reach,
      });
    },
    listBoundCapsules: ({ params, query, caller }) =>
      ok(
        bindings.listBoundCapsules({ connectionId: params.connectionId, workspaceId: caller.workspaceId ?? '' }, query),
      ),
  });
