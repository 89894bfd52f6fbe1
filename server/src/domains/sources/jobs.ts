import path from 'node:path';
import type { ActivityService } from '#server/domains/activity/index';
import { auditItem, type Job, phaseItem, type RunRecord, type RunsService } from '#server/domains/runs/index';
import { type Git, type GitCredential, GitError, type GitSyncResult } from '#server/drivers/git/index';
import type { ManifestFinding } from '#server/drivers/manifest/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import type { RunErrorCode } from '#shared/errors';
import { limits } from '#shared/limits';
import type { SyncIntent } from '#shared/sources/contract';
import type { InspectionService } from './inspection.ts';
import { manifestRows, statusOf } from './manifest-rows.ts';
import type { SyncInput } from './records.ts';
import type { SnapshotRow, SourcesStore } from './store.ts';
import { createSyncLines, type SyncLines } from './sync-lines.ts';
import { type SyncTimes, syncPhasesOf } from './sync-phases.ts';

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  store: SourcesStore;
  runs: RunsService;
  git: Git;
  inspection: Pick<InspectionService, 'ensureScan'>;
  activity: Pick<ActivityService, 'record'>;
  repositoriesDir: string;
  archivesDir: string;
  /** Called in the transaction that moves a lane; the followers of the lane are in higher layers. */
  onHead: (head: SnapshotRow, sync: { intent: SyncIntent }) => void;
  /**
   * Returns user name and token of a Connection, or undefined when it is unusable; the use is recorded with the Run.
   */
  issueGitCredential: (connectionId: string, runId: string) => GitCredential | undefined;
};

/** Error codes that need a repair by a person; the Source itself is then marked. */
const sourceFaults: readonly RunErrorCode[] = [
  'source_auth_failed',
  'source_not_git',
  'source_unreachable',
  'source_tls_failed',
];
const concurrentSyncs = 2;

type Finished = { snapshot: SnapshotRow; times: Omit<SyncTimes, 'finished'>; lines: SyncLines };

/** Fetches a lane of a Source, scans it and commits the snapshot. */
export function createSyncJob(deps: Deps): Job {
  const { db, clock, store, runs, git } = deps;
  const cancels = new Map<string, AbortController>();

  async function execute(run: RunRecord, stopping: AbortSignal): Promise<void> {
    const input = run.input as SyncInput;
    const sourceId = run.sourceId ?? '';
    if (input.cancelledBy !== undefined) return endCancelled(run);
    const cancel = new AbortController();
    cancels.set(run.id, cancel);
    const deadline = AbortSignal.timeout(limits.sourceSyncSeconds * 1_000);
    const signal = AbortSignal.any([stopping, cancel.signal, deadline]);
    const started = clock.now();
    const times: Finished['times'] = { started, scanning: started };
    const lines = createSyncLines((items) => runs.append(run.id, items));
    lines.add([auditItem('source_sync.started', started), phaseItem('source', 'started', started)]);
    try {
      const credential = credentialOf(run);
      const lane = { ref: run.facts.ref ?? 'HEAD', path: input.path };
      const head = store.findLaneHead(run.sourceId ?? '', lane);
      const request = {
        url: input.url,
        ...lane,
        known: head && { commit: head.resolvedCommit, archiveDigest: head.archiveDigest },
        ...(credential && { credential }),
      };
      const folders = { repositoryDir: path.join(deps.repositoriesDir, sourceId), archivesDir: deps.archivesDir };
      const fetched = await git.syncChanges(request, {
        ...folders,
        signal,
        onLine: (text) => lines.say(text, clock.now()),
        onUnpack: () => {
          times.unpacking = clock.now();
        },
      });
      failpoint('sync.fetched');
      times.scanning = clock.now();
      const scanned = fetched
        ? await scanOf(snapshotRow(run, fetched), fetched.manifest)
        : await scanAgain(head as SnapshotRow);
      signal.throwIfAborted();
      finish(run, { snapshot: scanned, times, lines });
    } catch (error) {
      if (stopping.aborted) return;
      runs.append(run.id, lines.take());
      end(run, error, { cancelled: cancel.signal.aborted, late: deadline.aborted });
    } finally {
      lines.take();
      cancels.delete(run.id);
    }
  }

  /**
   * Returns the credential of the Connection that the Source names now, not when the sync was requested: a token may
   * have been replaced since.
   */
  function credentialOf(run: RunRecord): GitCredential | undefined {
    const connectionId = store.findSource(run.sourceId ?? '')?.authConnectionId;
    if (!connectionId) return undefined;
    const credential = deps.issueGitCredential(connectionId, run.id);
    if (credential) return credential;
    throw new GitError(
      'source_auth_failed',
      'The Connection of this Source is revoked or has expired. Give the Source another one.',
    );
  }

  function snapshotRow(run: RunRecord, fetched: GitSyncResult): Omit<SnapshotRow, 'seq'> {
    const input = run.input as SyncInput;
    const ref = run.facts.ref ?? 'HEAD';
    const known = store.findSnapshotOf(run.sourceId ?? '', { commit: fetched.resolvedCommit, ref, path: input.path });
    if (known) return known;
    return {
      id: newId('snapshot'),
      workspaceId: run.workspaceId,
      sourceId: run.sourceId ?? '',
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
    await deps.inspection.ensureScan(saved);
    return saved;
  }

  /** Scans a known commit again, because the tool may have changed since. */
  async function scanAgain(head: SnapshotRow): Promise<SnapshotRow> {
    await deps.inspection.ensureScan(head);
    return head;
  }

  function finish(run: RunRecord, done: Finished): void {
    const { snapshot, times, lines } = done;
    db.write(() => {
      const now = clock.now();
      store.moveLane({
        sourceId: snapshot.sourceId,
        ref: snapshot.ref,
        path: snapshot.path,
        snapshotId: snapshot.id,
        syncedAt: now,
      });
      if (store.findSource(snapshot.sourceId)?.status === 'error')
        store.updateSource(snapshot.sourceId, { status: 'active', updatedAt: now });
      const phaseTimings = syncPhasesOf({ ...times, finished: now });
      runs.move(run.id, 'finish', {
        facts: { resolvedCommit: snapshot.resolvedCommit, sourceSnapshotId: snapshot.id, phaseTimings },
        items: [
          ...lines.take(),
          phaseItem('source', 'finished', now),
          auditItem('source_sync.completed', now, { data: { sourceSnapshotId: snapshot.id } }),
        ],
      });
      deps.activity.record({
        workspaceId: run.workspaceId,
        action: 'source.synced',
        targetType: 'source',
        targetId: snapshot.sourceId,
        runId: run.id,
        metadata: { sourceSnapshotId: snapshot.id, resolvedCommit: snapshot.resolvedCommit },
      });
      deps.onHead(snapshot, { intent: (run.input as SyncInput).intent });
      notify(run);
      failpoint('sync.finished');
    });
  }

  function end(run: RunRecord, error: unknown, how: { cancelled: boolean; late: boolean }): void {
    if (how.cancelled) endCancelled(run);
    else if (how.late) endFailed(run, 'source_timed_out', 'The repository did not answer in time.');
    else if (error instanceof GitError) endFailed(run, error.code, error.message);
    else throw error;
  }

  function endCancelled({ id, workspaceId }: RunRecord): void {
    const { cancelledBy } = runs.getRecord(id).input;
    const by = typeof cancelledBy === 'string' ? { actor: cancelledBy } : {};
    db.write(() => {
      runs.move(id, 'cancel', { items: [auditItem('source_sync.cancelled', clock.now(), by)] });
      const record = { workspaceId, action: 'run.cancelled' as const, targetType: 'run', targetId: id, runId: id };
      deps.activity.record({ ...record, actorId: by.actor });
    });
  }

  function endFailed(run: RunRecord, errorCode: RunErrorCode, message: string): void {
    db.write(() => {
      const sourceId = run.sourceId ?? '';
      if (sourceFaults.includes(errorCode) && store.findSource(sourceId)?.status === 'active')
        store.updateSource(sourceId, { status: 'error', updatedAt: clock.now() });
      fail(run, errorCode, message);
      notify(run);
    });
  }

  /** Notifies that a Source has a new snapshot or another status. */
  function notify({ workspaceId, sourceId }: RunRecord): void {
    const status = store.findSource(sourceId ?? '')?.status;
    deps.outbox.push({ workspaceId, kind: 'source', recordId: sourceId ?? '', ...(status && { status }) });
  }

  function fail(run: RunRecord, errorCode: RunErrorCode, message: string): void {
    const now = clock.now();
    runs.move(run.id, 'fail', {
      set: { errorCode, input: { ...run.input, error: message } },
      items: [
        { kind: 'diagnostic', at: now, payload: { severity: 'error', code: errorCode, message } },
        auditItem('source_sync.failed', now, { data: { errorCode } }),
      ],
    });
    deps.activity.record({
      workspaceId: run.workspaceId,
      action: 'source.sync_failed',
      targetType: 'source',
      targetId: run.sourceId ?? '',
      runId: run.id,
      metadata: { errorCode },
    });
  }

  return {
    types: ['source_sync'],
    concurrency: concurrentSyncs,
    execute,
    /** An interrupted sync starts again: it committed only content-addressed files. */
    resume: execute,
    cancel: (run) => cancels.get(run.id)?.abort(),
    fault(run) {
      if (run.status !== 'running') return;
      db.write(() =>
        fail(run, 'source_sync_failed', 'The sync failed unexpectedly. The log of the server has the details.'),
      );
    },
  };
}
