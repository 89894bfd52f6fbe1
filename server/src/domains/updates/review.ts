import type { CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { RunRecord } from '#server/domains/runs/index';
import type { InspectionService, RootEvidence, SnapshotRow, SourcesService } from '#server/domains/sources/index';
import { isWholePlan } from '#shared/plans/totals';
import { type ReviewReason, reviewReasonOf } from './review-reason.ts';
import type { UpdateRow } from './store.ts';

export type ReviewPorts = {
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  inspection: Pick<InspectionService, 'findNewestReport'>;
  /** Reports whether the later of two snapshots holds other packages of an installable copy. */
  hasChangedPackages: (before: SnapshotRow | undefined, after: SnapshotRow) => boolean;
  /** Returns the digest of the provider lock that was applied or approved last. */
  findReviewedLock: (capsuleId: string) => string | undefined;
};

/** Returns the reason that a person must review the plan of an update, or undefined when it may be applied automatically. */
export function findReviewReason(
  { capsules, ...deps }: ReviewPorts,
  { capsuleId }: UpdateRow,
  run: RunRecord,
): ReviewReason | undefined {
  const capsule = capsules.getRow(capsuleId);
  if (run.facts.providerLockDigest !== deps.findReviewedLock(capsuleId)) return 'lock_changed';
  const { modulePath, parts } = deps.configs.getPrivate(capsule.installConfigId);
  const sideOf = (snapshotId: string | undefined) => {
    const snapshot = snapshotId === undefined ? undefined : deps.sources.findSnapshot(snapshotId);
    const report = snapshot && deps.inspection.findNewestReport(snapshot.id, modulePath);
    const programs = (report?.rootView as RootEvidence | undefined)?.programs;
    return snapshot && report && { snapshot, report: report.report, programs };
  };
  const after = sideOf(run.facts.sourceSnapshotId);
  if (!after) return 'unknown_before';
  const before = sideOf(capsule.adoptedSourceRevision?.sourceSnapshotId);
  if (deps.hasChangedPackages(before?.snapshot, after.snapshot)) return 'package_changed';
  const { planResources: changes = [] } = run.detail;
  const isListedWhole = isWholePlan(changes);
  return reviewReasonOf(before, after, { changes, isListedWhole, builds: parts.sourceBuild !== undefined });
}
