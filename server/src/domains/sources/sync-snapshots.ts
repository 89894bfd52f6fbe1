import type { SyncRun } from '#server/domains/runs/index';
import type { GitSyncResult } from '#server/drivers/git/index';
import type { ManifestFinding } from '#server/drivers/manifest/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import type { InspectionService } from './inspection.ts';
import { manifestRows, statusOf } from './manifest-rows.ts';
import type { SnapshotRow, SourcesStore } from './store.ts';

export type SyncSnapshotPorts = {
  db: Db;
  clock: Clock;
  store: Pick<SourcesStore, 'findSnapshot' | 'findSnapshotOf' | 'insertSnapshot' | 'insertManifest'>;
  inspection: Pick<InspectionService, 'ensureScan'>;
};

/** Records what a sync fetched as a snapshot, and scans it. */
export function createSyncSnapshots({ db, clock, store, inspection }: SyncSnapshotPorts) {
  function snapshotRow(run: SyncRun, fetched: GitSyncResult): Omit<SnapshotRow, 'seq'> {
    const { input, sourceId } = run;
    const ref = run.facts.ref ?? 'HEAD';
    const known = store.findSnapshotOf(sourceId, { commit: fetched.resolvedCommit, ref, path: input.path });
    if (known) return known;
    return {
      id: newId('snapshot'),
      workspaceId: run.workspaceId,
      sourceId,
      url: input.url,
      ref,
      resolvedCommit: fetched.resolvedCommit,
      path: input.path,
      archiveDigest: fetched.archive.digest,
      archiveSizeBytes: fetched.archive.sizeBytes,
      repositoryManifest: statusOf(fetched.manifest),
      leftOut: fetched.leftOut,
      fetchedByRunId: run.id,
      fetchedAt: clock.now(),
    };
  }

  /**
   * Commits the snapshot before its scan, because the scan refers to it; only the end of the Run makes it the head of
   * its lane.
   */
  async function scanOf(row: Omit<SnapshotRow, 'seq'>, manifest: ManifestFinding): Promise<SnapshotRow> {
    const saved = db.write(() => {
      if (!store.findSnapshot(row.id)) {
        store.insertSnapshot(row);
        for (const manifestRow of manifestRows(row.id, manifest)) store.insertManifest(manifestRow);
      }
      return store.findSnapshot(row.id) as SnapshotRow;
    });
    failpoint('sync.saved');
    await inspection.ensureScan(saved);
    return saved;
  }

  /** Scans a known commit again, because the tool may have changed since. */
  async function scanAgain(head: SnapshotRow): Promise<SnapshotRow> {
    await inspection.ensureScan(head);
    return head;
  }

  return {
    /** Returns the scanned snapshot of a sync: of what it fetched, or the head of the lane when that is still current. */
    take: (run: SyncRun, fetched: GitSyncResult | undefined, head: SnapshotRow | undefined): Promise<SnapshotRow> =>
      fetched ? scanOf(snapshotRow(run, fetched), fetched.manifest) : scanAgain(head as SnapshotRow),
  };
}
