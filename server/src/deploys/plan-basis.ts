import type { CapsuleRow, CapsulesService } from '#server/capsules/index';
import type { ConfigsService } from '#server/configs/index';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { InspectionService, ReportRow, SourcesService } from '#server/sources/index';

type Deps = {
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<ConfigsService, 'getPrivate'>;
  sources: Pick<SourcesService, 'findLaneHead' | 'findSnapshot'>;
  inspection: Pick<InspectionService, 'getReportRow' | 'findNewestReport'>;
};

/** Which checked module a plan of a Capsule is made of. */
export function createPlanBasis({ capsules, configs, sources, inspection }: Deps) {
  /** The lane a Capsule follows: the adopted one, before the first apply the one pinned in its configuration. */
  function reportFor(capsule: CapsuleRow, reportId: string | undefined): ReportRow {
    const config = configs.getPrivate(capsule.installConfigId);
    if (reportId !== undefined) return checkLineage(capsule, inspection.getReportRow(reportId));
    const adopted = capsule.adoptedSourceRevision;
    const lane = adopted ?? config.provenance;
    const head =
      sources.findLaneHead(capsule.sourceId, lane) ?? sources.findSnapshot(config.provenance.sourceSnapshotId);
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

  function checkLineage(capsule: CapsuleRow, report: ReportRow): ReportRow {
    if (report.sourceId !== capsule.sourceId || report.workspaceId !== capsule.workspaceId) {
      throw failedPrecondition(
        'capsule_source_revision_lineage_mismatch',
        'The compatibility report belongs to another Source.',
      );
    }
    if (report.report.level !== 'ready') {
      throw failedPrecondition(
        'compatibility_not_runnable',
        'The compatibility check found something that has to be repaired first. The report names it.',
        {
          compatibilityReportId: report.id,
        },
      );
    }
    return report;
  }

  return {
    reportFor,

    /** What the next plan of a Capsule is made of; undefined while it cannot be planned. */
    findNextPlan(capsuleId: string) {
      const capsule = capsules.getRow(capsuleId);
      if (capsule.status === 'destroyed') return undefined;
      try {
        const { variables, policy } = configs.getPrivate(capsule.installConfigId);
        const report = reportFor(capsule, undefined);
        return { workspaceId: capsule.workspaceId, report, given: Object.keys(variables), policy };
      } catch (error) {
        if (error instanceof AppError && error.status < 500) return undefined;
        throw error;
      }
    },
  };
}
