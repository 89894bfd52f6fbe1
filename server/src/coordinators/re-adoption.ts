import type { CapsuleRow, CapsulesService } from '#server/capsules/index';
import type { ConfigsService } from '#server/configs/index';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import type { RunsService } from '#server/runs/index';
import type { InspectionService, SourcesService } from '#server/sources/index';
import type { WorkspacesService } from '#server/workspaces/index';
import type { ReAdopt } from '#shared/coordinators/re-adoption';

type Deps = {
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  capsules: Pick<CapsulesService, 'getRow' | 'getGuarded'>;
  configs: Pick<ConfigsService, 'getPrivate'>;
  runs: Pick<RunsService, 'findActive'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  inspection: Pick<InspectionService, 'findNewestReport'>;
  /** Whether an update of the Capsule to a ref is on its way. */
  isUpdating: (capsuleId: string) => boolean;
};
export type ReAdoptions = ReturnType<typeof createReAdoptions>;

const conflict = (message: string) => failedPrecondition('capsule_install_config_rebind_conflict', message);

/**
 * What must hold before a Capsule is moved to another version of its configuration (API 4.5), told in the order of the
 * rules. The move itself is not made by this server yet; it says so only where everything else would allow it.
 */
export const createReAdoptions = (deps: Deps) => ({
  refuse(capsuleId: string, body: ReAdopt): never {
    const capsule = deps.capsules.getRow(capsuleId);
    deps.workspaces.requireLive(capsule.workspaceId);
    requireSnapshotOf(deps, capsule, body.sourceSnapshotId);
    requireUntouched(deps, capsule, body);
    requireReady(deps, capsule, body.sourceSnapshotId);
    throw new AppError(
      'feature_unavailable',
      'This server does not move a Capsule to another version of its configuration yet. Change the configuration, or plan the newest commit.',
    );
  },
});

function requireSnapshotOf({ sources }: Deps, capsule: CapsuleRow, snapshotId: string): void {
  const snapshot = sources.findSnapshot(snapshotId);
  if (!snapshot) throw notFound('snapshot');
  if (snapshot.workspaceId !== capsule.workspaceId)
    throw new AppError('forbidden', 'The snapshot belongs to another Workspace.');
  if (snapshot.sourceId !== capsule.sourceId)
    throw failedPrecondition(
      'capsule_source_revision_lineage_mismatch',
      'The snapshot belongs to another Source than the Capsule. Name one of its own Source.',
    );
}

function requireUntouched({ capsules, runs, isUpdating }: Deps, capsule: CapsuleRow, body: ReAdopt): void {
  const { authorityGuard } = capsules.getGuarded(capsule.id).installConfigReAdoption;
  if (body.expected.authorityGuard !== authorityGuard)
    throw conflict('The Capsule has changed since you read it. Read it again and decide anew.');
  if (body.baseInstallConfigId !== capsule.installConfigId)
    throw conflict('This is not the configuration that the Capsule has now. Read it again and decide anew.');
  const isClosed = capsule.status === 'destroyed' || capsule.status === 'disabled';
  if (isClosed || runs.findActive(capsule.id) || isUpdating(capsule.id))
    throw failedPrecondition(
      'capsule_install_config_rebind_busy',
      'A Run or an update of this Capsule is under way, or the Capsule is switched off or destroyed. Cancel it or wait for its end.',
    );
  if (capsule.runtimeSafety === 'unknown')
    throw failedPrecondition(
      'capsule_runtime_unsafe',
      'The last apply of this Capsule did not end well, so what it left is uncertain. Plan and apply it as it is first.',
    );
}

function requireReady({ configs, inspection }: Deps, capsule: CapsuleRow, sourceSnapshotId: string): void {
  const { modulePath } = configs.getPrivate(capsule.installConfigId);
  const row = inspection.findNewestReport(sourceSnapshotId, modulePath);
  if (!row)
    throw failedPrecondition(
      'compatibility_report_missing',
      'The snapshot was not checked for this module. Check it, then try again.',
      { sourceSnapshotId, modulePath },
    );
  if (row.report.level !== 'ready')
    throw failedPrecondition(
      'compatibility_not_runnable',
      'The compatibility check found something that has to be repaired first. The report names it.',
      { compatibilityReportId: row.id },
    );
}
