import { useQuery } from '@tanstack/react-query';
import { redactedSentinel } from '#shared/configs/contract';
import type { SourceBuild } from '#shared/configs/source-build';
import type { Json } from '#shared/kernel/json';
import type { CompatibilityReport } from '#shared/sources/report';
import { api } from '../../../api/client.ts';
import { type Chosen, chosenOf } from '../../../components/bindings/tuples.ts';
import { type AskedForm, askedForm } from './asked.ts';

/** A Capsule whose first plan failed: planning again changes its inputs instead of making another Capsule. */
export type KeptCapsule = {
  id: string;
  name: string;
  environment: string;
  authorityGuard: string;
  /** Names that have a value now. */
  setNames: readonly string[];
  /** Those of them whose sealed value stays unless another is typed. */
  sealedNames: readonly string[];
  /** How the manifest that it was made with asks for them. */
  form: AskedForm | undefined;
  sourceBuild?: SourceBuild;
  /** What was chosen for its providers. */
  chosen: Chosen;
};

/** Reads the Capsule; null when it cannot be planned again from this module. */
async function readKeptCapsule(capsuleId: string, report: CompatibilityReport): Promise<KeptCapsule | null> {
  const { capsule, installConfigReAdoption } = (await api.getCapsule({ params: { capsuleId } })).body;
  const pinned =
    capsule.compatibilityReportId === undefined
      ? undefined
      : (await api.getReport({ params: { reportId: capsule.compatibilityReportId } })).body.report;
  const isSame = pinned?.sourceSnapshotId === report.sourceSnapshotId && pinned.modulePath === report.modulePath;
  if (capsule.status !== 'pending' || !isSame) return null;
  const { installConfig } = (await api.getInstallConfig({ params: { capsuleConfigId: capsule.installConfigId } })).body;
  const { providerBindingSet } = (await api.getProviderBindings({ params: { capsuleId } })).body;
  const values = Object.entries(installConfig.variableMapping as Record<string, Json>);
  return {
    id: capsule.id,
    name: capsule.name,
    environment: capsule.environment,
    authorityGuard: installConfigReAdoption.authorityGuard,
    form: askedForm(installConfig),
    ...(installConfig.sourceBuild && { sourceBuild: installConfig.sourceBuild }),
    setNames: values.map(([name]) => name),
    sealedNames: values.filter(([, value]) => value === redactedSentinel).map(([name]) => name),
    chosen: chosenOf(report.providerRequirements ?? [], providerBindingSet?.bindings ?? []),
  };
}

export const useKeptCapsule = (capsuleId: string | undefined, report: CompatibilityReport) =>
  useQuery({
    queryKey: ['capsule', 'kept', capsuleId, report.id],
    queryFn: () => readKeptCapsule(capsuleId ?? '', report),
    enabled: capsuleId !== undefined,
    retry: false,
  });
