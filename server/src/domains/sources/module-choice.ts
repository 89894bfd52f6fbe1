import type { ModuleReport, ScanResult } from '#server/drivers/scan/index';
import { invalidArgument } from '#server/kernel/errors';
import type { Finding, InstallModules } from '#shared/sources/module-scan';

export const moduleMissing =
  'The snapshot has no folder with configuration files at this path. Correct the path, or choose a listed module.';

/**
 * Returns the report of the chosen module; when the scan itself failed, a report with the reason. Throws 400 for an
 * unknown path or a missing one.
 */
export function chooseModule({ discovery, reports }: ScanResult, modulePath: string | undefined): ModuleReport {
  if (discovery.status === 'invalid') return unusable(modulePath ?? '.', discovery);
  if (modulePath !== undefined) {
    const chosen = reports.find((report) => report.modulePath === modulePath);
    if (!chosen)
      throw invalidArgument('module_path_not_found', moduleMissing, {
        field: '/modulePath',
      });
    return chosen;
  }
  const [only] = reports;
  if (reports.length === 1 && only) return only;
  if (reports.length === 0)
    throw invalidArgument('module_path_not_found', 'The snapshot contains no module. Sync another folder or ref.', {
      field: '/modulePath',
    });
  const allowed = reports.map((report) => report.modulePath);
  throw invalidArgument('module_path_required', 'The snapshot contains several modules. Choose one by its path.', {
    field: '/modulePath',
    allowed,
  });
}

function unusable(modulePath: string, discovery: Extract<InstallModules, { status: 'invalid' }>): ModuleReport {
  const stated: Finding[] = discovery.findings.map((finding) => ({
    severity: 'error',
    compatibilityImpact: 'unsupported',
    ...finding,
  }));
  const fallback: Finding = {
    severity: 'error',
    compatibilityImpact: 'unsupported',
    code: 'configuration_invalid',
    message: 'The scan of this snapshot could not be finished.',
    context: { reason: discovery.reason },
  };
  return {
    modulePath,
    level: 'unsupported',
    findings: stated.length > 0 ? stated : [fallback],
    providerPackages: [],
    rootProviderRequirements: [],
    resources: [],
    dataSources: [],
    provisioners: [],
    rootModuleVariables: [],
    rootModuleVariableDeclarations: [],
    rootModuleOutputs: [],
    ownProviderBlocks: [],
    encryptionTargets: [],
    encryptionDefault: false,
    configurationDigest: '',
  };
}
