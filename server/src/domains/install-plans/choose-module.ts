import type { InstallConfigsService } from '#server/domains/install-configs/index';
import { type InspectionService, moduleMissing, type SourcesService } from '#server/domains/sources/index';
import type { InstallModules } from '#shared/sources/module-scan';
import { findingText } from './check-step.ts';
import { diagnose } from './plan-steps.ts';
import { done } from './reconcile.ts';
import type { InstallStep } from './state.ts';

export type ChooseModulePorts = {
  sources: Pick<SourcesService, 'getSource'>;
  inspection: Pick<InspectionService, 'findModules'>;
  configs: Pick<InstallConfigsService, 'chooseBase' | 'digestOf'>;
};

/** Step that chooses the module of the snapshot, and the configuration that it is installed from. */
export const createChooseModuleStep = ({ sources, inspection, configs }: ChooseModulePorts): InstallStep => ({
  name: 'choose_module',
  stage: 'preparation',
  isDone: ({ installModulePath }) => installModulePath !== undefined,
  take: async (state) => {
    const { sourceId = '', sourceSnapshotId = '' } = state;
    const { modulePath } = state.row.request.options ?? {};
    const scan = await inspection.findModules(sourceId, sourceSnapshotId, modulePath);
    return () => {
      const chosen = pickModule(scan, modulePath);
      if (typeof chosen !== 'string') return chosen;
      const { workspaceId, request } = state.row;
      const { url } = sources.getSource(sourceId);
      const target = { url, path: request.source.path, modulePath: chosen };
      const installConfigBaseId = configs.chooseBase(workspaceId, target);
      const installConfigBaseDigest = configs.digestOf(installConfigBaseId);
      return done({ installConfigBaseId, installConfigBaseDigest, installModulePath: chosen });
    };
  },
});

/** The requested path, or the only one of the snapshot. */
function pickModule(scan: InstallModules, requested: string | undefined) {
  if (scan.status === 'invalid') return scanProblem(scan);
  const paths = scan.modules.map(({ path }) => path);
  const path = requested ?? (paths.length === 1 ? paths[0] : undefined);
  if (path !== undefined && paths.includes(path)) return path;
  if (requested !== undefined) return diagnose('repository_install_module_not_found', moduleMissing);
  if (paths.length === 0)
    return diagnose(
      'repository_install_module_not_found',
      'The snapshot contains no module. Choose another ref or path.',
    );
  const choice = `The snapshot contains several modules. Choose one by options.modulePath: ${paths.join(', ')}`;
  return diagnose('repository_install_module_selection_required', choice);
}

function scanProblem({ findings: [first], reason }: Extract<InstallModules, { status: 'invalid' }>) {
  const message = first ? findingText(first) : `The scan of the snapshot ended with ${reason}.`;
  const code =
    reason === 'configuration_invalid' ? 'compatibility_not_ready' : 'generic_opentofu_compatibility_analysis_failed';
  return diagnose(code, message, { reason: first?.code ?? reason, controllerCode: reason });
}
