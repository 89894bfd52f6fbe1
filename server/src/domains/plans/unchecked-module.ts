import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { CheckRequest, InspectionService, SnapshotRow, SourcesService } from '#server/domains/sources/index';

type HeadPorts = {
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  sources: Pick<SourcesService, 'findLaneHead' | 'findSnapshot'>;
};
type Deps = HeadPorts & {
  capsules: Pick<CapsulesService, 'getRow'>;
  inspection: Pick<InspectionService, 'findNewestReport'>;
};

/** Returns the newest snapshot of the lane of a Capsule: the adopted lane, before the first apply the pinned one. */
export function findHead(capsule: CapsuleRow, { configs, sources }: HeadPorts): SnapshotRow | undefined {
  const { provenance } = configs.getPrivate(capsule.installConfigId);
  const head = sources.findLaneHead(capsule.sourceId, capsule.adoptedSourceRevision ?? provenance);
  return head ?? sources.findSnapshot(provenance.sourceSnapshotId);
}

/** A compatibility check that the next plan of a Capsule needs first. */
type UncheckedModule = Required<Omit<CheckRequest, 'actorId'>>;

/** Finds the module of the newest snapshot of the lane, when no compatibility report of it exists yet. */
export const createFindUncheckedModule =
  (deps: Deps) =>
  (capsuleId: string): UncheckedModule | undefined => {
    const capsule = deps.capsules.getRow(capsuleId);
    const { sourceId, installConfigId } = capsule;
    const { modulePath } = deps.configs.getPrivate(installConfigId);
    const head = findHead(capsule, deps);
    if (!head || deps.inspection.findNewestReport(head.id, modulePath)) return undefined;
    return { sourceId, sourceSnapshotId: head.id, modulePath, capsuleId, installConfigId };
  };
