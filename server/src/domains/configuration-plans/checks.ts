import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import {
  type InstallConfigsService,
  type PrivateConfig,
  variableContractDigest,
} from '#server/domains/install-configs/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService, ReportRow } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { failedPrecondition } from '#server/kernel/errors';
import type { VariableDeclaration } from '#shared/sources/module-scan';

type IdlePorts = {
  runs: Pick<RunsService, 'findBlocking'>;
  /** True when an update of the Capsule to a ref is in progress. */
  isUpdating: (capsuleId: string) => boolean;
};

export type ConfigurationCheckPorts = IdlePorts & {
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  inspection: Pick<InspectionService, 'findNewestReport'>;
  configs: Pick<InstallConfigsService, 'findProvenance' | 'getPrivate'>;
  capsules: Pick<CapsulesService, 'getGuarded'>;
};

/** Requires that the Capsule still matches the caller's guard and that no work is in progress on it. */
export function requireFree(ports: ConfigurationCheckPorts, capsule: CapsuleRow, authorityGuard: string): void {
  const { capsules, workspaces } = ports;
  workspaces.requireLive(capsule.workspaceId);
  if (capsules.getGuarded(capsule.id).installConfigReAdoption.authorityGuard !== authorityGuard) {
    throw failedPrecondition(
      'capsule_install_config_rebind_conflict',
      'The Capsule has changed since you read it. Reload and try again.',
    );
  }
  requireIdle(ports, capsule);
}

/** Requires that no work is in progress on a Capsule, except a scheduled check, which gives way, and that the result of its last apply is certain. */
export function requireIdle(ports: IdlePorts, capsule: CapsuleRow): void {
  requireNoWork(ports, capsule);
  if (capsule.runtimeSafety !== 'unknown') return;
  throw failedPrecondition(
    'capsule_runtime_unsafe',
    'The last apply of this Capsule did not succeed, so its result is uncertain. Plan and apply it unchanged first.',
  );
}

/** Requires that no work is in progress on a Capsule, except a scheduled check. */
export function requireNoWork({ runs, isUpdating }: IdlePorts, capsule: CapsuleRow): void {
  const isClosed = capsule.status === 'destroyed' || capsule.status === 'disabled';
  if (isClosed || runs.findBlocking(capsule.id) || isUpdating(capsule.id)) {
    throw failedPrecondition(
      'capsule_install_config_rebind_busy',
      'A Run or an update of this Capsule is in progress, or the Capsule is disabled or destroyed. Cancel it or wait for its end.',
    );
  }
}

const authorityInvalid = (message: string) =>
  failedPrecondition('capsule_configuration_generic_authority_invalid', message);

/** The configuration that was created for this Capsule; a shared one is not changed here. */
export function requireDerived({ configs }: ConfigurationCheckPorts, capsule: CapsuleRow): PrivateConfig {
  if (configs.findProvenance(capsule.installConfigId)?.sourceId === capsule.sourceId)
    return configs.getPrivate(capsule.installConfigId);
  throw authorityInvalid('The configuration of this Capsule does not belong to its Source. Install the module again.');
}

type CheckedContract = {
  report: ReportRow;
  declarations: readonly VariableDeclaration[];
  pinned: { sourceSnapshotId: string; reportId: string; variableContractDigest: string };
};

/**
 * Declarations that the values are checked against: the variables that the Capsule's own snapshot declares, never those of a newer one.
 * That snapshot is the adopted one, or before the first apply the one its configuration was created for.
 */
export function requireContract(
  { inspection }: ConfigurationCheckPorts,
  capsule: CapsuleRow,
  current: PrivateConfig,
): CheckedContract {
  const { provenance, modulePath } = current;
  const sourceSnapshotId = capsule.adoptedSourceRevision?.sourceSnapshotId ?? provenance.sourceSnapshotId;
  const row = inspection.findNewestReport(sourceSnapshotId, modulePath);
  if (!row || row.sourceId !== capsule.sourceId)
    throw authorityInvalid('The snapshot of this Capsule was not checked for compatibility. Check it, then try again.');
  if (row.report.level !== 'ready') {
    throw failedPrecondition(
      'capsule_configuration_compatibility_not_runnable',
      'The compatibility check found a problem. Repair what the report names, then try again.',
      { compatibilityReportId: row.id },
    );
  }
  const declarations = row.report.rootModuleVariableDeclarations;
  if (!declarations) {
    throw failedPrecondition(
      'capsule_configuration_generic_declarations_invalid',
      'The compatibility report does not list the variables of the module. Check the snapshot again.',
      { compatibilityReportId: row.id },
    );
  }
  const digest = variableContractDigest(declarations);
  const stored = sourceSnapshotId === provenance.sourceSnapshotId ? provenance.variableContractDigest : undefined;
  if (stored !== undefined && stored !== digest) {
    throw failedPrecondition(
      'capsule_configuration_generic_digest_mismatch',
      'The snapshot of this Capsule declares other variables for this tool than when the Capsule was configured. Install the module again.',
    );
  }
  return { report: row, declarations, pinned: { sourceSnapshotId, reportId: row.id, variableContractDigest: digest } };
}
