import type { PlanConfiguration } from '#shared/configuration-plans/api';
import type { Import, RequestImport } from '#shared/imports/contract';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import { sourceNameOf } from '#shared/sources/repository-name';
import type { ReturnTarget } from '#shared/sources/return-uri';
import type { Entries, Input } from '../../../components/inputs/entry.ts';
import { outputsOf, valuesOf } from '../../../components/inputs/values.ts';
import { dependenciesOf } from '../../../components/outputs/output-choice.ts';
import type { Address } from '../address.ts';
import type { Checked } from '../checked.ts';
import type { ExistingCapsule } from './use-existing-capsule.ts';
import type { PlanInput } from './use-plan.ts';

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
function installRequest(
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

/** Returns the request for a Capsule of exactly the inspected snapshot and check, whose first state is an uploaded one. */
function importRequest(
  { name, environment, checked }: Pick<InstallTarget, 'name' | 'environment' | 'checked'>,
  inputs: readonly Input[],
  { entries, bindings }: Answers,
): RequestImport {
  const { report, config } = checked;
  return {
    name,
    environment,
    sourceId: report.sourceId,
    sourceSnapshotId: report.sourceSnapshotId,
    compatibilityReportId: report.id,
    installConfigId: config?.id ?? genericInstallConfigId,
    ...(report.modulePath !== undefined && { modulePath: report.modulePath }),
    ...(bindings.length > 0 && { providerBindings: [...bindings] }),
    ...(valuesOf(inputs, entries) as Pick<RequestImport, 'variables' | 'secretVariables'>),
  };
}

/**
 * Returns the request for a change of an existing Capsule: sealed values stay, others that are no longer set are
 * removed.
 */
function configurationRequest(
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

type Planned = {
  /** Capsule that only changes its inputs. */
  capsule: ExistingCapsule | undefined;
  /** Uploaded state that becomes the first one of the Capsule. */
  imported: Import | undefined;
  target: InstallTarget;
  returnTo: ReturnTarget | undefined;
};

/** Returns the request that the form ends in: a change of a Capsule, an import or an installation. */
export function planInputOf(
  { capsule, imported, target, returnTo }: Planned,
  inputs: readonly Input[],
  answers: Answers,
): PlanInput {
  if (capsule) return { capsuleId: capsule.id, configuration: configurationRequest(capsule, inputs, answers) };
  if (imported) return { importId: imported.id, moveIn: importRequest(target, inputs, answers) };
  const install = installRequest(target, inputs, answers);
  return { install, sourceId: target.checked.report.sourceId, returnTo };
}
