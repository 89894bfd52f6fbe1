import { ulid } from 'ulid';
import type { BackupsService } from '#server/domains/backups/index';
import { StoreError } from '#server/drivers/object-store/index';
import type { Clock } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { faultFields, type Log } from '#server/kernel/log';
import { required } from '#server/kernel/required';
import { StartError } from '#server/kernel/start-error';
import { nextDue } from './next-due.ts';
import type { ScheduleReports } from './reports.ts';
import type { BackupSchedulesStore, CopyRow, ScheduleRow } from './store.ts';
import { openTarget, type TargetPorts, type TargetStore } from './targets.ts';

export type CopyPorts = TargetPorts & {
  db: Db;
  clock: Clock;
  log: Log;
  store: BackupSchedulesStore;
  backups: Pick<BackupsService, 'create' | 'openFile' | 'isStored' | 'deleteScheduled'>;
  reports: ScheduleReports;
};

/** Delays between attempts for one backup, in minutes; the last one repeats until the next backup is due. */
const retryMinutes = [1, 5, 15, 60];
/** Returns the pause after an attempt that failed, by the number of those before it. */
export const retryAfterMs = (failedBefore: number): number =>
  (retryMinutes[Math.min(failedBefore, retryMinutes.length - 1)] ?? 60) * 60_000;
const nameOf = (backupId: string) => `${backupId}.age`;

/** Makes the backups that are due, and copies them to their targets. */
export function createCopies(ports: CopyPorts) {
  const { db, clock, log, store, reports } = ports;
  const { createAgain, copyTo } = createSteps(ports);

  /** Begins the backup of a schedule. One that did not reach its target before is given up, so that there is one at most. */
  function begin(schedule: ScheduleRow): void {
    const { workspaceId, hour, target } = schedule;
    const now = clock.now();
    db.write(() => {
      reports.recordOverdue(schedule);
      const open = store.findOpen(workspaceId);
      if (open) store.deleteCopy(open.id);
      store.insertCopy({
        id: ulid(now),
        workspaceId,
        target,
        status: 'creating',
        attempts: 0,
        startedAt: now,
        retryAt: now,
        backupId: null,
        digest: null,
        sizeBytes: null,
        uploadId: null,
        location: null,
        storedAt: null,
      });
      store.update(workspaceId, { dueAt: nextDue(hour, now) });
      reports.push(workspaceId);
    });
  }

  /**
   * Deletes the copies beyond the number to keep, and only those that this schedule has made at this target. As many of its
   * archives stay in the data folder.
   */
  async function prune(workspaceId: string, target: TargetStore, signal: AbortSignal): Promise<void> {
    const schedule = store.find(workspaceId);
    const keep = schedule?.keep ?? Number.POSITIVE_INFINITY;
    const copies = store
      .listStored(workspaceId)
      .map(({ id, backupId, location }) => ({ id, location, name: nameOf(required(backupId, 'backup')) }))
      .filter(({ location, name }) => location === target.location(name));
    for (const { id, name } of copies.slice(keep)) {
      await target.delete(name, signal);
      store.deleteCopy(id);
    }
    ports.backups.deleteScheduled(workspaceId, keep);
  }

  function fail(copy: CopyRow, error: unknown): void {
    const now = clock.now();
    db.write(() => {
      store.updateCopy(copy.id, { attempts: copy.attempts + 1, retryAt: now + retryAfterMs(copy.attempts) });
      reports.recordFailure(copy.workspaceId, copyFailureOf(error));
    });
    log.warn({ workspaceId: copy.workspaceId, ...faultFields(error) }, 'a scheduled backup failed');
  }

  /** A backup that was deleted before its copy was stored is made again. */
  const hasArchive = ({ status, backupId }: CopyRow): boolean =>
    status === 'copying' && backupId !== null && ports.backups.isStored(backupId);

  return {
    begin,
    /** Continues one backup from the step that it has reached. A failure is recorded and tried again later. */
    async attempt(copy: CopyRow, signal: AbortSignal): Promise<void> {
      try {
        const target = openTarget(copy.target, ports);
        const ready = hasArchive(copy) ? copy : await createAgain(copy, target);
        if (await copyTo(target, ready, signal)) await prune(copy.workspaceId, target, signal);
      } catch (error) {
        // A stop of the server leaves the copy to its next start.
        if (signal.aborted || isLedgerFault(error)) throw error;
        const current = store.findCopy(copy.id);
        if (current && current.status !== 'stored') fail(current, error);
        else log.warn(faultFields(error), 'copies of backups could not be deleted');
      }
    },
  };
}

/** Steps of one backup. Each can be repeated. */
function createSteps({ db, clock, store, backups, reports }: CopyPorts) {
  /** Creates the backup; the same one again after a crash. */
  async function create(copy: CopyRow): Promise<CopyRow> {
    const { workspaceId, id } = copy;
    const {
      id: backupId,
      digest,
      sizeBytes,
    } = await backups.create({ workspaceId, actorId: 'system', idempotencyKey: id });
    db.write(() => {
      store.updateCopy(id, { status: 'copying', backupId, digest, sizeBytes, uploadId: null });
      reports.push(workspaceId);
    });
    return { ...copy, status: 'copying', backupId, digest, sizeBytes, uploadId: null };
  }

  /** Creates the backup after the upload of one that was deleted has ended. */
  async function createAgain(copy: CopyRow, target: TargetStore): Promise<CopyRow> {
    const { backupId, uploadId } = copy;
    if (backupId !== null && uploadId !== null) await target.abort(nameOf(backupId), uploadId);
    return create(copy);
  }

  /** Resolves to false, and leaves no copy, when the schedule has ended or has another target now. */
  async function copyTo(target: TargetStore, copy: CopyRow, signal: AbortSignal): Promise<boolean> {
    const { backupId, digest, sizeBytes, workspaceId, id, uploadId } = copy;
    const name = nameOf(required(backupId, 'backup'));
    const isThere = async () => {
      const stored = await target.read(name, signal);
      return stored && stored.digest === digest && stored.sizeBytes === sizeBytes;
    };
    if (!(await isThere())) {
      const { path: file } = backups.openFile(workspaceId, required(backupId, 'backup')).file;
      await target.put(name, { file, uploadId, onUpload: (next) => store.updateCopy(id, { uploadId: next }), signal });
      if (!(await isThere())) {
        store.updateCopy(id, { uploadId: null });
        await target.delete(name, signal);
        throw new AppError('feature_unavailable', 'The copy at the target differs from the backup, so it was deleted.');
      }
    }
    const isWanted = db.write(() => {
      if (!store.findCopy(id)) return false;
      store.updateCopy(id, {
        status: 'stored',
        storedAt: clock.now(),
        location: target.location(name),
        uploadId: null,
      });
      reports.recordSuccess(workspaceId);
      return true;
    });
    if (!isWanted) await target.delete(name, signal);
    return isWanted;
  }

  return { createAgain, copyTo };
}

/** Returns why a copy failed, as a sentence without values. */
export function copyFailureOf(error: unknown): string {
  if (error instanceof AppError || error instanceof StoreError || error instanceof StartError) return error.message;
  const { code = '' } = (error ?? {}) as { code?: string };
  if (code === 'ENOSPC') return 'The disk of the target is full. Free some space, or keep fewer copies.';
  if (code === 'EACCES' || code === 'EROFS') return 'The server may not write to the target folder.';
  return 'The copy failed on the server. Read the log of the server.';
}
