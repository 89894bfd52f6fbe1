import { skipToken, useQuery } from '@tanstack/react-query';
import type { PlanConfiguration } from '#shared/configuration-plans/api';
import { holdsSentinel } from '#shared/install-configs/contract';
import type { LifecycleAction } from '#shared/install-configs/lifecycle';
import type { SourceBuild } from '#shared/install-configs/source-build';
import type { Json } from '#shared/kernel/json';
import type { CompatibilityReport } from '#shared/sources/report';
import { api } from '../../../api/client.ts';
import { dependenciesQuery } from '../../../api/links.ts';
import { queryClient } from '../../../api/queries.ts';
import { findManifestForm, type ManifestForm } from '../../../components/inputs/presented-form.ts';
import type { OutputChoice } from '../../../components/outputs/output-choice.ts';
import { type Chosen, chosenOf } from '../../../components/provider-bindings/tuples.ts';

/** A Capsule whose first plan failed, or that is installed: a plan changes its inputs instead of creating another Capsule. */
export type ExistingCapsule = {
  id: string;
  name: string;
  environment: string;
  authorityGuard: string;
  isInstalled: boolean;
  /** Values that the form starts with; none for a Capsule that was never applied. */
  values: Readonly<Record<string, Json>>;
  /** Names of the inputs that have a value now. */
  setNames: readonly string[];
  /** Names of the inputs whose sealed value is kept unless another one is typed. */
  sealedNames: readonly string[];
  /** Outputs of other Capsules that fill inputs, by the name of the input. */
  outputs: Readonly<Record<string, OutputChoice>>;
  /** Form description of the manifest that the Capsule was created with. */
  form: ManifestForm | undefined;
  sourceBuild?: SourceBuild;
  lifecycleActions?: readonly LifecycleAction[];
  interfaceBlueprints: PlanConfiguration['interfaceBlueprints'];
  /** Connections chosen for its providers. */
  chosen: Chosen;
};

/** Loads the Capsule; null when it cannot be planned again from this module. */
async function readExistingCapsule(capsuleId: string, report: CompatibilityReport): Promise<ExistingCapsule | null> {
  const { capsule, installConfigReAdoption } = (await api.getCapsule({ params: { capsuleId } })).body;
  const pinned =
    capsule.compatibilityReportId === undefined
      ? undefined
      : (await api.getReport({ params: { reportId: capsule.compatibilityReportId } })).body.report;
  const isSame = pinned?.sourceSnapshotId === report.sourceSnapshotId && pinned.modulePath === report.modulePath;
  if (capsule.status === 'destroyed' || capsule.status === 'disabled' || !isSame) return null;
  const { installConfig } = (await api.getInstallConfig({ params: { capsuleConfigId: capsule.installConfigId } })).body;
  const { providerBindingSet } = (await api.getProviderBindings({ params: { capsuleId } })).body;
  const values = Object.entries(installConfig.variableMapping as Record<string, Json>);
  return {
    id: capsule.id,
    name: capsule.name,
    environment: capsule.environment,
    isInstalled: capsule.status !== 'pending',
    authorityGuard: installConfigReAdoption.authorityGuard,
    form: findManifestForm(installConfig),
    ...(installConfig.sourceBuild && { sourceBuild: installConfig.sourceBuild }),
    ...(installConfig.lifecycleActions && { lifecycleActions: installConfig.lifecycleActions }),
    values: Object.fromEntries(capsule.status === 'pending' ? [] : values.filter(([, value]) => !holdsSentinel(value))),
    setNames: values.map(([name]) => name),
    sealedNames: values.filter(([, value]) => holdsSentinel(value)).map(([name]) => name),
    outputs: await readOutputs(capsuleId),
    interfaceBlueprints: installConfig.interfaceBlueprints ?? [],
    chosen: chosenOf(report.providerRequirements ?? [], providerBindingSet?.bindings ?? []),
  };
}

async function readOutputs(capsuleId: string): Promise<ExistingCapsule['outputs']> {
  const { asConsumer } = await queryClient.fetchQuery({ ...dependenciesQuery(capsuleId), staleTime: 0 });
  return Object.fromEntries(
    asConsumer.flatMap(({ producerCapsuleId: producerId, mode, outputs }) =>
      Object.values(outputs).map(({ from, to }) => [to, { producerId, mode, from }]),
    ),
  );
}

export const useExistingCapsule = (capsuleId: string | undefined, report: CompatibilityReport) =>
  useQuery({
    queryKey: ['capsule', 'kept', capsuleId, report.id],
    queryFn: capsuleId === undefined ? skipToken : () => readExistingCapsule(capsuleId, report),
    retry: false,
  });
