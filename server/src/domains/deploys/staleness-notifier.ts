import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { SnapshotRow, SourcesService } from '#server/domains/sources/index';
import type { AdoptedSourceRevision } from '#shared/capsules/contract';

type Deps = {
  sources: Pick<SourcesService, 'findLaneHead'>;
  capsules: Pick<CapsulesService, 'getRow' | 'listOfSource' | 'move'>;
  activity: Pick<ActivityService, 'record'>;
};

/** The head of a lane that somebody follows, after a sync. */
export type LaneHead = Pick<SnapshotRow, 'id' | 'sourceId' | 'ref' | 'path' | 'resolvedCommit'>;

export type StalenessNotifier = ReturnType<typeof createStalenessNotifier>;

/**
 * A Capsule is `stale` when its own lane, the ref and path of the snapshot it runs from, has moved on; what happens on
 * other lanes of its Source never concerns it (API 3).
 */
export function createStalenessNotifier({ sources, capsules, activity }: Deps) {
  function makeStale(row: CapsuleRow, adopted: AdoptedSourceRevision, head: LaneHead): void {
    if (row.status !== 'active') return;
    capsules.move(row.id, 'stale');
    activity.record({
      workspaceId: row.workspaceId,
      action: 'capsule.stale',
      targetType: 'capsule',
      targetId: row.id,
      metadata: {
        reason: 'source_ref_changed',
        sourceId: head.sourceId,
        sourceSnapshotId: head.id,
        previousSourceSnapshotId: adopted.sourceSnapshotId,
        resolvedCommit: head.resolvedCommit,
        previousResolvedCommit: adopted.resolvedCommit,
        ref: head.ref,
        path: head.path,
      },
    });
  }

  return {
    /** After a sync, in its transaction; answers the Capsules that are behind the head now. */
    notify(head: LaneHead): CapsuleRow[] {
      return capsules.listOfSource(head.sourceId).filter((row) => {
        const adopted = row.adoptedSourceRevision;
        if (!adopted || !isBehind(adopted, head)) return false;
        makeStale(row, adopted, head);
        return true;
      });
    },

    /** After an apply, in its transaction: the lane may have moved on while the plan waited. */
    catchUp(capsuleId: string): void {
      const row = capsules.getRow(capsuleId);
      const adopted = row.adoptedSourceRevision;
      const head = adopted && sources.findLaneHead(row.sourceId, adopted);
      if (adopted && head && isBehind(adopted, head)) makeStale(row, adopted, head);
    },
  };
}

const isBehind = (adopted: AdoptedSourceRevision, head: LaneHead): boolean =>
  adopted.ref === head.ref && adopted.path === head.path && adopted.sourceSnapshotId !== head.id;
