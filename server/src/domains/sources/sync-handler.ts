import path from 'node:path';
import { AbandonedError, auditItem, phaseItem, type RunHandler, type SyncRun } from '#server/domains/runs/index';
import { type Git, type GitCredential, GitError, type GitSyncResult } from '#server/drivers/git/index';
import type { ManifestFinding } from '#server/drivers/manifest/index';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import { limits } from '#shared/limits';
import type { InspectionService } from './inspection.ts';
import { manifestRows, statusOf } from './manifest-rows.ts';
import type { SnapshotRow, SourcesStore } from './store.ts';
import { createSyncEnds, type FinishedSync, type SyncEndPorts } from './sync-ends.ts';
import { createSyncLines } from './sync-lines.ts';

type Deps = SyncEndPorts & {
  store: SourcesStore;
  git: Git;
  inspection: Pick<InspectionService, 'ensureScan' | 'warmUp'>;
  repositoriesDir: string;
  archivesDir: string;
  /** Returns user name and token of a Connection, or undefined when it is unusable; the use is recorded with the Run. */
  issueGitCredential: (connectionId: string, runId: string) => GitCredential | undefined;
};

const concurrentSyncs = 2;

/** Fetches a lane of a Source, scans it and commits the snapshot. */
export function createSyncHandler(deps: Deps): RunHandler<SyncRun> {
  const { db, clock, store, runs, git, inspection } = deps;
  const cancels = new Map<string, AbortController>();
  const snapshots = createSnapshotRecorder(deps);
  const ends = createSyncEnds(deps);

  async function execute(run: SyncRun, stopping: AbortSignal): Promise<void> {
    const { input, sourceId } = run;
    if (input.cancelledBy !== undefined) return ends.endCancelled(run);
    const cancel = new AbortController();
    cancels.set(run.id, cancel);
    const deadline = AbortSignal.timeout(limits.sourceSyncSeconds * 1_000);
    const signal = AbortSignal.any([stopping, cancel.signal, deadline]);
    const started = clock.now();
    const times: FinishedSync['times'] = { started, scanning: started };
    const lines = createSyncLines((items) => runs.append(run.id, items));
    lines.add([auditItem('source_sync.started', started), phaseItem('source', 'started', started)]);
    try {
      const credential = credentialOf(deps, run);
      const lane = { ref: run.facts.ref ?? 'HEAD', path: input.path };
      const head = store.findLaneHead(run.sourceId, lane);
      const request = {
        url: input.url,
        ...lane,
        // The texts of a commit that an earlier version synced are read now.
        known: head?.commit ? { commit: head.resolvedCommit, archiveDigest: head.archiveDigest } : undefined,
        ...(credential && { credential }),
      };
      const folders = { repositoryDir: path.join(deps.repositoriesDir, sourceId), archivesDir: deps.archivesDir };
      const fetched = await git.syncChanges(request, {
        ...folders,
        signal,
        onLine: (text) => lines.say(text, clock.now()),
        onUnpack: () => {
          times.unpacking = clock.now();
          inspection.warmUp();
        },
      });
      failpoint('sync.fetched');
      times.scanning = clock.now();
      const snapshot = await snapshots.record(run, fetched, head);
      signal.throwIfAborted();
      ends.finish(run, { snapshot, times, lines });
    } catch (error) {
      if (stopping.aborted) return;
      runs.append(run.id, lines.take());
      ends.end(run, error, { cancelled: cancel.signal.aborted, late: deadline.aborted });
    } finally {
      lines.take();
      cancels.delete(run.id);
    }
  }

  return {
    types: ['source_sync'],
    concurrency: concurrentSyncs,
    execute,
    /** An interrupted sync starts again: it committed only content-addressed files. */
    resume: execute,
    cancel: (run) => cancels.get(run.id)?.abort(),
    fault(run, error) {
      if (run.status !== 'running') return;
      const unexpected = 'The sync failed unexpectedly. The log of the server has the details.';
      const message = error instanceof AbandonedError ? error.message : unexpected;
      db.write(() => ends.fail(run, 'source_sync_failed', message));
    },
  };
}

/**
 * Returns the credential of the Connection that the Source names now, not when the sync was requested: a token may
 * have been replaced since.
 */
function credentialOf({ store, issueGitCredential }: Deps, run: SyncRun): GitCredential | undefined {
  const connectionId = store.findSource(run.sourceId)?.authConnectionId;
  if (!connectionId) return undefined;
  const credential = issueGitCredential(connectionId, run.id);
  if (credential) return credential;
  throw new GitError(
    'source_auth_failed',
    'The Connection of this Source is revoked or has expired. Give the Source another one.',
  );
}

/** Records a fetched commit as a snapshot, and scans it. */
function createSnapshotRecorder({ db, clock, store, inspection }: Deps) {
  function snapshotRow(run: SyncRun, fetched: GitSyncResult): Omit<SnapshotRow, 'seq'> {
    const { input, sourceId } = run;
    const ref = run.facts.ref ?? 'HEAD';
    const known = store.findSnapshotOf(sourceId, { commit: fetched.resolvedCommit, ref, path: input.path });
    if (known) return { ...known, commit: fetched.commit };
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
      commit: fetched.commit,
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
      const stored = store.findSnapshot(row.id);
      if (stored && !stored.commit) store.updateCommit(row.id, row.commit);
      if (!stored) {
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
    /** Returns the scanned snapshot of a sync: of the fetched commit, or the head of the lane when that is still current. */
    record: (run: SyncRun, fetched: GitSyncResult | undefined, head: SnapshotRow | undefined): Promise<SnapshotRow> =>
      fetched ? scanOf(snapshotRow(run, fetched), fetched.manifest) : scanAgain(head as SnapshotRow),
  };
}
