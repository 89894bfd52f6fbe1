import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { InspectionService, ReportRow, SourcesService } from '#server/domains/sources/index';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import { findHead } from './unchecked-module.ts';

type Deps = {
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  sources: Pick<SourcesService, 'findLaneHead' | 'findSnapshot' | 'findAuthConnection'>;
  inspection: Pick<InspectionService, 'getReportRow' | 'findNewestReport'>;
  bindings: Pick<ProviderBindingsService, 'listBindings'>;
  dependencies: Pick<DependenciesService, 'listInjectedVariables'>;
};

/** The checked module that a plan of a Capsule uses. */
export function createPlanBasis({ capsules, configs, sources, inspection, bindings, dependencies }: Deps) {
  /** The lane of a Capsule: the adopted one, before the first apply the one pinned in its configuration. */
  function reportFor(capsule: CapsuleRow, reportId: string | undefined): ReportRow {
    const config = configs.getPrivate(capsule.installConfigId);
    if (reportId !== undefined) return checkLineage(capsule, inspection.getReportRow(reportId));
    const head = findHead(capsule, { configs, sources });
    if (!head)
      throw failedPrecondition(
        'source_sync_required',
        'The Source has no snapshot on the lane of this Capsule. Sync it first.',
      );
    const report = inspection.findNewestReport(head.id, config.modulePath);
    if (report) return checkLineage(capsule, report);
    throw failedPrecondition(
      'compatibility_report_missing',
      'The newest snapshot was not checked for compatibility yet. Check it, then plan.',
      {
        sourceSnapshotId: head.id,
        modulePath: config.modulePath,
      },
    );
  }

  /** Returns the module of one snapshot, as it was last checked. 409 for a snapshot that is missing or was not checked. */
  function reportOf(capsule: CapsuleRow, snapshotId: string | null | undefined): ReportRow {
    const snapshot = typeof snapshotId === 'string' ? sources.findSnapshot(snapshotId) : undefined;
    if (!snapshot)
      throw failedPrecondition(
        'state_version_snapshot_missing',
        'The snapshot of this state is unknown. Plan from the newest snapshot instead.',
      );
    const { modulePath } = configs.getPrivate(capsule.installConfigId);
    const report = inspection.findNewestReport(snapshot.id, modulePath);
    if (report) return checkLineage(capsule, report);
    throw failedPrecondition(
      'compatibility_report_missing',
      'The snapshot was not checked for this module. Check it, then plan.',
      { sourceSnapshotId: snapshot.id, modulePath },
    );
  }

  return {
    reportFor,
    reportOf,

    /**
     * Refuses another commit from a role that may only propose when credentials are used, because a plan runs code of the module with
     * them. 403 `forbidden` for a report off the lane of a Capsule with bindings, or whose Source has a Connection.
     */
    requireOwnLane(capsuleId: string, reportId: string): void {
      const capsule = capsules.getRow(capsuleId);
      const { snapshotId } = inspection.getReportRow(reportId);
      const { ref, path } = capsule.adoptedSourceRevision ?? configs.getPrivate(capsule.installConfigId).provenance;
      const snapshot = sources.findSnapshot(snapshotId);
      if (snapshot?.ref === ref && snapshot.path === path) return;
      if (bindings.listBindings(capsuleId).length === 0 && sources.findAuthConnection(capsule.sourceId) === undefined)
        return;
      throw new AppError(
        'forbidden',
        'Your role lets you plan this Capsule only from the ref it follows, because Connections are used. Ask an owner or admin.',
      );
    },

    /** Returns the module of the next plan of a Capsule; undefined while it cannot be planned. */
    findNextPlan(capsuleId: string) {
      const capsule = capsules.getRow(capsuleId);
      if (capsule.status === 'destroyed') return undefined;
      try {
        const { variables, policy } = configs.getPrivate(capsule.installConfigId);
        const report = reportFor(capsule, undefined);
        return {
          workspaceId: capsule.workspaceId,
          report,
          assigned: [...Object.keys(variables), ...dependencies.listInjectedVariables(capsuleId)],
          policy,
        };
      } catch (error) {
        if (error instanceof AppError && error.status < 500) return undefined;
        throw error;
      }
    },
  };
}

export type PlanBasis = ReturnType<typeof createPlanBasis>;

function checkLineage(capsule: CapsuleRow, report: ReportRow): ReportRow {
  if (report.sourceId !== capsule.sourceId || report.workspaceId !== capsule.workspaceId) {
    throw failedPrecondition(
      'capsule_source_revision_lineage_mismatch',
      'The compatibility report belongs to another Source. Name one of the Source of this Capsule.',
    );
  }
  if (report.report.level !== 'ready') {
    throw failedPrecondition(
      'compatibility_not_runnable',
      'The compatibility check found a problem. Repair what the report names, then try again.',
      {
        compatibilityReportId: report.id,
      },
    );
  }
  return report;
}
