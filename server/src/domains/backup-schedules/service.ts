import { isDeepStrictEqual } from 'node:util';
import type { ActivityService } from '#server/domains/activity/index';
import type { ConnectionsService } from '#server/domains/connections/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { invalidArgument, notFound } from '#server/kernel/errors';
import { required } from '#server/kernel/required';
import type { BackupSchedule, BackupScheduleInput, StoredBackup } from '#shared/backup-schedules/contract';
import { objectStorageKind } from '#shared/connections/object-storage';
import { nextDue } from './next-due.ts';
import type { ScheduleReports } from './reports.ts';
import type { BackupScheduler } from './schedule.ts';
import type { BackupSchedulesStore, CopyRow, ScheduleRow } from './store.ts';
import { type FolderRules, findFolderRefusal } from './targets.ts';

type Deps = {
  db: Db;
  clock: Clock;
  store: BackupSchedulesStore;
  scheduler: Pick<BackupScheduler, 'wake'>;
  connections: Pick<ConnectionsService, 'requireKind'>;
  activity: Pick<ActivityService, 'record'>;
  reports: Pick<ScheduleReports, 'push'>;
  folderRules: FolderRules;
};

export type BackupSchedulesService = ReturnType<typeof createBackupSchedulesService>;

/** The schedules of the backups of Workspaces. */
export function createBackupSchedulesService({
  db,
  clock,
  store,
  scheduler,
  connections,
  activity,
  reports,
  folderRules,
}: Deps) {
  function checkTarget(workspaceId: string, { target }: BackupScheduleInput): void {
    if (target.kind === 'object_storage') {
      connections.requireKind(target.connectionId, {
        workspaceId,
        kind: objectStorageKind,
        otherKind: () =>
          invalidArgument('connection_kind_mismatch', 'Choose a Connection to object storage.', {
            field: '/target/connectionId',
          }),
      });
      return;
    }
    const refusal = findFolderRefusal(target.path, folderRules);
    if (refusal) throw invalidArgument('backup_folder_invalid', refusal, { field: '/target/path' });
  }
  function record(workspaceId: string, action: 'backup_schedule.saved' | 'backup_schedule.deleted', actorId: string) {
    activity.record({ workspaceId, actorId, action, targetType: 'workspace', targetId: workspaceId });
    reports.push(workspaceId);
  }
  function require(workspaceId: string): ScheduleRow {
    const row = store.find(workspaceId);
    if (row) return row;
    throw notFound('schedule of backups');
  }
  const describe = (workspaceId: string): BackupSchedule =>
    scheduleOf(require(workspaceId), store.findOpen(workspaceId), store.listStored(workspaceId));

  return {
    get(workspaceId: string): { schedule?: BackupSchedule; lastBackupAt?: string } {
      const last = store.findLastBackup(workspaceId);
      return {
        ...(store.find(workspaceId) && { schedule: describe(workspaceId) }),
        ...(last !== undefined && { lastBackupAt: isoTime(last) }),
      };
    },

    save(workspaceId: string, input: BackupScheduleInput, actorId: string): BackupSchedule {
      checkTarget(workspaceId, input);
      const now = clock.now();
      const before = store.find(workspaceId);
      const created = before ?? { createdBy: actorId, createdAt: now, failedAt: null, failure: null, overdueAt: null };
      // A copy that is on its way to the former target is given up, and the next one begins at once.
      const open = before && !isDeepStrictEqual(before.target, input.target) ? store.findOpen(workspaceId) : undefined;
      if (open) store.deleteCopy(open.id);
      const dueAt = open ? now : nextDue(input.hour, now);
      store.save({ ...created, workspaceId, ...input, updatedAt: now, dueAt });
      record(workspaceId, 'backup_schedule.saved', actorId);
      db.afterCommit(scheduler.wake);
      return describe(workspaceId);
    },

    delete(workspaceId: string, actorId: string): void {
      if (!store.find(workspaceId)) return;
      const open = store.findOpen(workspaceId);
      if (open) store.deleteCopy(open.id);
      store.delete(workspaceId);
      record(workspaceId, 'backup_schedule.deleted', actorId);
    },

    /** Makes the next backup due now. */
    startNow(workspaceId: string): BackupSchedule {
      require(workspaceId);
      const open = store.findOpen(workspaceId);
      if (open) store.updateCopy(open.id, { retryAt: clock.now() });
      else store.update(workspaceId, { dueAt: clock.now() });
      reports.push(workspaceId);
      db.afterCommit(scheduler.wake);
      return describe(workspaceId);
    },
  };
}

const storedOf = ({ backupId, location, digest, sizeBytes, storedAt }: CopyRow): StoredBackup => ({
  backupId: required(backupId, 'backup'),
  location: location ?? '',
  digest: digest ?? '',
  sizeBytes: sizeBytes ?? 0,
  at: isoTime(storedAt ?? 0),
});

function scheduleOf(row: ScheduleRow, open: CopyRow | undefined, stored: readonly CopyRow[]): BackupSchedule {
  const [last] = stored;
  const isRetried = open !== undefined && open.attempts > 0;
  return {
    workspaceId: row.workspaceId,
    hour: row.hour,
    keep: row.keep,
    target: row.target,
    createdBy: row.createdBy,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    nextAt: isoTime(row.dueAt),
    ...(open &&
      open.status !== 'stored' && {
        current: {
          step: open.status,
          startedAt: isoTime(open.startedAt),
          attempts: open.attempts,
          ...(isRetried && { retryAt: isoTime(open.retryAt) }),
        },
      }),
    ...(last && { lastSuccess: storedOf(last) }),
    ...(row.failedAt !== null && { lastFailure: { at: isoTime(row.failedAt), message: row.failure ?? '' } }),
    stored: stored.length,
  };
}
