import type { ModuleReport } from '#server/drivers/scan/index';
import { type ProviderRequirement, requirementPhases } from '#shared/runs/provider-resolution';

import type { ReportRow } from './store.ts';

type Evidence = Pick<ModuleReport, 'ownProviderBlocks'>;

/** Returns the provider configurations of a checked module in the form that bindings and resolutions use. */
export function requirementsOf({ report, rootView }: Pick<ReportRow, 'report' | 'rootView'>): ProviderRequirement[] {
  const { ownProviderBlocks } = rootView as Evidence;
  return report.rootProviderRequirements.map(({ source, moduleLocalName, childAlias, version }) => {
    const isOwn = ownProviderBlocks.some(
      (block) => block.moduleLocalName === moduleLocalName && block.childAlias === childAlias,
    );
    return {
      providerSource: source,
      providerName: moduleLocalName,
      ...(childAlias !== undefined && { alias: childAlias }),
      ...(version !== undefined && { versionConstraint: version }),
      modulePath: report.modulePath,
      // An alias that the module only expects to receive gets its block from us.
      discoveredFrom: isOwn ? 'provider_block' : childAlias === undefined ? 'required_providers' : 'generated_root',
      requiredForPhases: [...requirementPhases],
    };
  });
}
