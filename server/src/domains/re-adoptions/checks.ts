import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import { requireIdle, requireNoWork } from '#server/domains/configuration-plans/index';
import type { InstallConfigsService, PrivateConfig } from '#server/domains/install-configs/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService, ReportRow, SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import type { ReAdopt } from '#shared/re-adoptions/api';
import type { RecoveryProof, RecoveryProofs } from './recovery-proof.ts';

export type ReAdoptionCheckPorts = {
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  capsules: Pick<CapsulesService, 'getRow' | 'getGuarded'>;
  configs: Pick<InstallConfigsService, 'getPrivate' | 'findProvenance' | 'requireIntact'>;
  runs: Pick<RunsService, 'findBlocking'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  inspection: Pick<InspectionService, 'findNewestReport'>;
  /** True when an update of the Capsule to a ref is in progress. */
  isUpdating: (capsuleId: string) => boolean;
  recovery: Pick<RecoveryProofs, 'find'>;
};
/** Target of a re-adoption: the current configuration, and the snapshot with the report of its module. */
export type Movable = {
  current: PrivateConfig;
  snapshot: NonNullable<ReturnType<SourcesService['findSnapshot']>>;
  row: ReportRow;
  /** Present when the result of the last apply is certain although an action after it failed. */
  proof: RecoveryProof | undefined;
};

export const conflict = (message: string) => failedPrecondition('capsule_install_config_rebind_conflict', message);

/** Checks the preconditions of a re-adoption. The first violated rule is reported. */
export function requireMovable(ports: ReAdoptionCheckPorts, capsule: CapsuleRow, body: ReAdopt): Movable {
  const snapshot = requireSnapshotOf(ports, capsule, body.sourceSnapshotId);
  ports.workspaces.requireLive(capsule.workspaceId);
  requireOwnSource(capsule, snapshot);
  ports.configs.requireIntact(capsule.installConfigId);
  const proof = requireUntouched(ports, capsule, body);
  const current = requireDerived(ports, capsule);
  requireSamePath(capsule, { current, path: snapshot.path });
  return { current, snapshot, row: requireReady(ports, current, snapshot.id), proof };
}

function requireSnapshotOf({ sources }: ReAdoptionCheckPorts, capsule: CapsuleRow, snapshotId: string) {
  const snapshot = sources.findSnapshot(snapshotId);
  if (!snapshot) throw notFound('snapshot');
  if (snapshot.workspaceId !== capsule.workspaceId)
    throw new AppError('forbidden', 'The snapshot belongs to another Workspace. Name one of this Workspace.');
  return snapshot;
}

function requireOwnSource(capsule: CapsuleRow, snapshot: Movable['snapshot']): void {
  if (snapshot.sourceId === capsule.sourceId) return;
  throw failedPrecondition(
    'capsule_source_revision_lineage_mismatch',
    'The snapshot belongs to another Source than the Capsule. Name a snapshot of the Source of the Capsule.',
  );
}

/** The configuration that was created for this Capsule; a shared one cannot be moved. */
function requireDerived({ configs }: ReAdoptionCheckPorts, capsule: CapsuleRow): PrivateConfig {
  if (configs.findProvenance(capsule.installConfigId)?.sourceId === capsule.sourceId)
    return configs.getPrivate(capsule.installConfigId);
  throw conflict('The configuration of this Capsule does not belong to its Source. Install the module again.');
}

/** Module paths are relative to the path of the Source, so under another path they name another module. */
function requireSamePath(capsule: CapsuleRow, at: { current: PrivateConfig; path: string }): void {
  if ((capsule.adoptedSourceRevision?.path ?? at.current.provenance.path) === at.path) return;
  throw failedPrecondition(
    'capsule_source_revision_lineage_mismatch',
    'The snapshot contains another path of the repository than the Capsule runs from. Sync that path, and name its snapshot.',
  );
}

/** Returns the proof that the guard binds, by which a Capsule is moved after a failed action. */
function requireUntouched(ports: ReAdoptionCheckPorts, capsule: CapsuleRow, body: ReAdopt): RecoveryProof | undefined {
  const { authorityGuard } = ports.capsules.getGuarded(capsule.id).installConfigReAdoption;
  if (body.expected.authorityGuard !== authorityGuard)
    throw conflict('The Capsule has changed since you read it. Reload and try again.');
  if (body.baseInstallConfigId !== capsule.installConfigId)
    throw conflict('The Capsule has another configuration now. Reload and try again.');
  const proof = ports.recovery.find(capsule);
  if (proof) requireNoWork(ports, capsule);
  else requireIdle(ports, capsule);
  return proof;
}

function requireReady(
  { inspection }: ReAdoptionCheckPorts,
  { modulePath }: PrivateConfig,
  sourceSnapshotId: string,
): ReportRow {
  const row = inspection.findNewestReport(sourceSnapshotId, modulePath);
  if (!row)
    throw failedPrecondition(
      'compatibility_report_missing',
      'The snapshot was not checked for this module. Check it, then try again.',
      { sourceSnapshotId, modulePath },
    );
  if (row.report.level === 'ready') return row;
  throw failedPrecondition(
    'compatibility_not_runnable',
    'The compatibility check found a problem. Repair what the report names, then try again.',
    { compatibilityReportId: row.id },
  );
}
