import type { Adoption } from '#server/domains/install-configs/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService, ReportRow, SourcesService } from '#server/domains/sources/index';
import type { InstallParts } from '#shared/install-configs/parts';
import type { InstallDiagnostic, InstallDiagnosticCode, InstallPreflight } from '#shared/install-plans/contract';
import type { InstallFacts, PublicRequest } from './schema.ts';
import { isSameSource } from './source-identity.ts';

export type PreflightPorts = {
  runs: Pick<RunsService, 'findRecord'>;
  sources: Pick<SourcesService, 'findWorkspace' | 'getSource' | 'findSnapshot' | 'canonicalUrl'>;
  inspection: Pick<InspectionService, 'findReportWorkspace' | 'getReportRow'>;
  adoption: Pick<Adoption, 'findStart'>;
};
type PreflightInput = { workspaceId: string; request: PublicRequest & { preflight: InstallPreflight } };
export type PreflightFault = Pick<InstallDiagnostic, 'code' | 'message'>;
type Accepted = { report: ReportRow; facts: InstallFacts; parts: InstallParts };

const fault = (code: InstallDiagnosticCode, message: string): PreflightFault => ({
  code,
  message,
});

/**
 * Requires that the reviewed preflight matches the installation: Source, snapshot, check, report and configuration belong together, to
 * this Workspace and to the address of the request, and are unchanged.
 */
export function acceptPreflight(ports: PreflightPorts, input: PreflightInput): Accepted | PreflightFault {
  const { preflight } = input.request;
  const firstFault = findSourceFault(ports, input) ?? findEvidenceFault(ports, input);
  if (firstFault) return firstFault;
  const report = ports.inspection.getReportRow(preflight.compatibilityReportId);
  const { workspaceId } = input;
  const { installConfigId } = preflight;
  const start = ports.adoption.findStart({ workspaceId, report: report.report, installConfigId });
  if (!start) {
    return fault(
      'install_preflight_config_identity_changed',
      'The reviewed configuration is not the one this module is installed with. Inspect the repository again.',
    );
  }
  const { baseId, baseDigest } = start.provenance?.manifest ?? { baseId: start.id, baseDigest: start.digest };
  return {
    report,
    parts: start.parts,
    facts: {
      sourceId: preflight.sourceId,
      sourceSnapshotId: preflight.sourceSnapshotId,
      compatibilityCheckRunId: preflight.compatibilityCheckRunId,
      compatibilityReportId: preflight.compatibilityReportId,
      installConfigBaseId: baseId,
      installConfigBaseDigest: baseDigest,
      ...(start.isDerived && { installConfigId }),
      installModulePath: report.modulePath,
    },
  };
}

function findSourceFault(
  { sources }: PreflightPorts,
  { workspaceId, request }: PreflightInput,
): PreflightFault | undefined {
  const { preflight, source: requestedSource } = request;
  if (!isSameSource({ sources }, { sourceId: preflight.sourceId, row: { workspaceId, request } })) {
    return fault(
      'source_identity_changed',
      'The reviewed Source was deleted or disabled, or has another address than this request. Inspect the repository again.',
    );
  }
  const snapshot = sources.findSnapshot(preflight.sourceSnapshotId);
  if (snapshot?.workspaceId !== workspaceId)
    return fault(
      'source_snapshot_not_found',
      'The reviewed snapshot does not exist any more. Inspect the repository again.',
    );
  if (
    snapshot.sourceId === preflight.sourceId &&
    snapshot.ref === requestedSource.ref &&
    snapshot.path === requestedSource.path
  )
    return undefined;
  return fault(
    'source_snapshot_scope_mismatch',
    'The reviewed snapshot belongs to another Source, ref or path than this request. Inspect the repository again.',
  );
}

function findEvidenceFault(
  { runs, inspection }: PreflightPorts,
  { workspaceId, request: { preflight, options } }: PreflightInput,
): PreflightFault | undefined {
  const run = runs.findRecord(preflight.compatibilityCheckRunId);
  if (
    inspection.findReportWorkspace(preflight.compatibilityReportId) !== workspaceId ||
    run?.workspaceId !== workspaceId ||
    run.status !== 'succeeded'
  ) {
    return fault(
      'compatibility_evidence_incomplete',
      'The reviewed compatibility check does not exist or did not succeed. Inspect the repository again.',
    );
  }
  const report = inspection.getReportRow(preflight.compatibilityReportId);
  const isOne =
    report.runId === run.id &&
    report.snapshotId === preflight.sourceSnapshotId &&
    report.sourceId === preflight.sourceId &&
    (options?.modulePath ?? report.modulePath) === report.modulePath;
  if (isOne) return undefined;
  return fault(
    'compatibility_evidence_identity_conflict',
    'The reviewed compatibility check is of another module or commit than this request. Inspect the repository again.',
  );
}
