import type { PlanConfiguration } from '#shared/configuration-plans/api';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import { sourceNameOf } from '#shared/sources/repository-name';
import type { Entries, Input } from '../../../components/inputs/entry.ts';
import { outputsOf, valuesOf } from '../../../components/inputs/values.ts';
import { dependenciesOf } from '../../../components/outputs/output-choice.ts';
import type { Address } from '../address.ts';
import type { Checked } from '../checked.ts';
import type { ExistingCapsule } from './use-existing-capsule.ts';

type InstallTarget = {
  address: Address;
  name: string;
  environment: string;
  checked: Checked;
  /** True when an install link led here. */
  isFromLink: boolean;
};
/** Content of the form. */
type Answers = { entries: Entries; bindings: readonly ProviderBinding[] };

/** Returns the request for an installation of exactly the inspected snapshot and check. */
export function installRequest(
  target: InstallTarget,
  inputs: readonly Input[],
  { entries, bindings }: Answers,
): CreateInstallPlan {
  const { report, checkRunId } = target.checked;
  const dependencies = dependenciesOf(outputsOf(inputs, entries));
  return {
    source: { name: sourceNameOf(target.address.url), ...target.address },
    capsule: { name: target.name, environment: target.environment },
    options: {
      modulePath: report.modulePath,
      ...(bindings.length > 0 && { providerBindings: [...bindings] }),
      ...(target.isFromLink && { installLink: true }),
    },
    preflight: {
      sourceId: report.sourceId,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityCheckRunId: checkRunId,
      compatibilityReportId: report.id,
      installConfigId: target.checked.config?.id ?? genericInstallConfigId,
    },
    ...(dependencies.length > 0 && { dependencies }),
    ...(valuesOf(inputs, entries) as Pick<CreateInstallPlan, 'variables' | 'secretVariables'>),
  };
}

/**
 * Returns the request for a change of an existing Capsule: sealed values stay, others that are no longer set are
 * removed.
 */
export function configurationRequest(
  capsule: ExistingCapsule,
  inputs: readonly Input[],
  { entries, bindings }: Answers,
): PlanConfiguration {
  const set = valuesOf(inputs, entries).variables as PlanConfiguration['variablePatch']['set'];
  const shown = new Set(inputs.map(({ declared }) => declared.name));
  const isSealed = (name: string) => capsule.sealedNames.includes(name) && !entries[name]?.isRemoved;
  // A value behind an Output stays: it is used again when the Dependency is removed.
  const isGone = (name: string) => !Object.hasOwn(set, name) && !isSealed(name) && !entries[name]?.output;
  const remove = capsule.setNames.filter((name) => isGone(name) && (!capsule.form || shown.has(name)));
  return {
    variablePatch: { set, remove },
    providerBindings: [...bindings],
    interfaceBlueprints: [...capsule.interfaceBlueprints],
    expected: { authorityGuard: capsule.authorityGuard },
  };
}
