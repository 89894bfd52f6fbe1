import type { ActivityService } from '#server/domains/activity/index';
import type { SnapshotRow, SourcesService } from '#server/domains/sources/index';
import type { AdoptedSourceRevision } from '#shared/capsules/contract';
import type { CapsuleRow, CapsulesService } from './service.ts';

type Deps = {
  sources: Pick<SourcesService, 'findLaneHead'>;
  capsules: Pick<CapsulesService, 'getRow' | 'listOfSource' | 'move'>;
  activity: Pick<ActivityService, 'record'>;
};

/** The head of a lane with Capsules, after a sync. */
type LaneHead = Pick<SnapshotRow, 'id' | 'sourceId' | 'ref' | 'path' | 'resolvedCommit'>;

export type StalenessNotifier = ReturnType<typeof createStalenessNotifier>;

/**
 * A Capsule is `stale` when its own lane, the ref and path of the snapshot it runs from, has a newer commit; other lanes of its Source
 * never matter.
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
    /** Runs after a sync, in its transaction. Returns the Capsules that are behind the head now. */
    notify(head: LaneHead): CapsuleRow[] {
      return capsules.listOfSource(head.sourceId).filter((row) => {
        const adopted = row.adoptedSourceRevision;
        if (!adopted || !isBehind(adopted, head)) return false;
        makeStale(row, adopted, head);
        return true;
      });
    },

    /** Runs after an apply, in its transaction: the lane may have a newer commit since the plan. */
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
