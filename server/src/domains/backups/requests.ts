import type { CapsulesService } from '#server/domains/capsules/index';
import { auditItem, type RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Backup } from '#shared/backups/contract';
import { queuedBackupsPerWorkspace } from '#shared/limits';
import type { RunStatus } from '#shared/runs/contract';
import { backupOf } from './records.ts';
import type { BackupsStore } from './store.ts';

export type BackupRequest = {
  workspaceId: string;
  /** Absent: the whole Workspace. */
  capsuleId?: string | undefined;
  actorId: string;
  /** Key under which a repeated request finds the first one. */
  idempotencyKey?: string | undefined;
};

type Deps = {
  db: Db;
  clock: Clock;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow'>;
  store: BackupsStore;
};

const reusedStatuses: ReadonlySet<RunStatus> = new Set(['queued', 'running', 'succeeded']);
const requestsLiveMs = 86_400_000;
/** Longest time for which a request waits for its backup. */
const waitMs = 1_800_000;

/** Requests of backups. */
export function createBackupRequests({ db, clock, runs, capsules, store }: Deps) {
  const keyDigestOf = ({ idempotencyKey, ...request }: BackupRequest): string | undefined =>
    idempotencyKey === undefined ? undefined : jsonDigest([request, idempotencyKey]);

  /** A backup that failed, was cancelled or was deleted is made again under the same key. */
  function findEarlier(keyDigest: string | undefined): string | undefined {
    const runId = keyDigest === undefined ? undefined : store.findRequest(keyDigest);
    if (runId === undefined) return undefined;
    const { status } = runs.getRecord(runId);
    if (status === 'succeeded' && !store.findOfRun(runId)) return undefined;
    return reusedStatuses.has(status) ? runId : undefined;
  }

  function factsOf(capsuleId: string) {
    const { status, currentStateVersionId, name, environment } = capsules.getRow(capsuleId);
    if (status === 'destroyed')
      throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Install the module again.');
    if (currentStateVersionId === null)
      throw failedPrecondition(
        'capsule_never_applied',
        'This Capsule was never applied and has no state. Plan and apply it first.',
      );
    const subject = { kind: 'capsule' as const, id: capsuleId };
    return { capsuleId, capsuleName: name, facts: { environment, subject } };
  }

  function create(request: BackupRequest): string {
    const { workspaceId, capsuleId, actorId } = request;
    if (store.countOpen(workspaceId) >= queuedBackupsPerWorkspace)
      throw failedPrecondition(
        'run_queue_full',
        'Several backups of this Workspace wait already. Try again when one of them has ended.',
      );
    const scope = capsuleId === undefined ? {} : factsOf(capsuleId);
    const now = clock.now();
    const { id } = runs.create({ id: newId('backup'), workspaceId, type: 'backup', createdBy: actorId, ...scope }, [
      auditItem('backup.requested', now, { actor: actorId }),
    ]);
    const keyDigest = keyDigestOf(request);
    store.deleteRequests(now - requestsLiveMs);
    if (keyDigest !== undefined) store.saveRequest({ keyDigest, runId: id, createdAt: now });
    return id;
  }

  async function waitFor(runId: string): Promise<Backup> {
    const { status, errorCode } = await runs.waitUntilSettled(runId, waitMs);
    const row = store.findOfRun(runId);
    if (row) return backupOf(row);
    if (status === 'queued' || status === 'running')
      throw unavailable(
        'The backup is not finished yet. Read its Run, or repeat the request with the same key.',
        runId,
      );
    const message =
      errorCode === 'disk_full'
        ? 'The disk of the data folder is failing, or has less free space than twice the size of the ledger, so no backup was made. Free some space there and try again.'
        : 'The backup was not made. Read the messages of its Run, then try again.';
    throw unavailable(message, runId);
  }

  return {
    /**
     * Queues a backup and resolves when its archive is durable. 409 with the reason when the Capsule has no state or too
     * many backups wait; 503 `feature_unavailable` when it was not made.
     */
    create: (request: BackupRequest): Promise<Backup> =>
      waitFor(db.write(() => findEarlier(keyDigestOf(request)) ?? create(request))),
  };
}

const unavailable = (message: string, runId: string) =>
  new AppError('feature_unavailable', message, { details: { runId } });
