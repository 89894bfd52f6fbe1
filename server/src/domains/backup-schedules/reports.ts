import type { ActivityService } from '#server/domains/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import { backupScheduleLimits } from '#shared/limits';
import type { BackupSchedulesStore, ScheduleRow } from './store.ts';

type Deps = {
  clock: Clock;
  store: BackupSchedulesStore;
  activity: Pick<ActivityService, 'record'>;
  outbox: Pick<Outbox, 'push'>;
};
export type ScheduleReports = ReturnType<typeof createScheduleReports>;

/**
 * Reports changes of a schedule in the caller's transaction. Its history names the first failure, the first time that it
 * is overdue, and the success that ends these; everything else is only an event of the stream.
 */
export function createScheduleReports({ clock, store, activity, outbox }: Deps) {
  const push = (workspaceId: string): void =>
    outbox.push({ workspaceId, kind: 'backup_schedule', recordId: workspaceId });
  function record(workspaceId: string, action: ActivityAction): void {
    const [last] = store.listStored(workspaceId);
    const metadata = last?.storedAt ? { lastStoredAt: isoTime(last.storedAt) } : {};
    activity.record({ workspaceId, action, targetType: 'workspace', targetId: workspaceId, metadata });
  }

  return {
    push,

    /** Records before a backup begins that the one before is too old. */
    recordOverdue({ workspaceId, createdAt, overdueAt }: ScheduleRow): void {
      const [last] = store.listStored(workspaceId);
      const now = clock.now();
      if (overdueAt !== null || now - (last?.storedAt ?? createdAt) < backupScheduleLimits.overdueMs) return;
      store.update(workspaceId, { overdueAt: now });
      record(workspaceId, 'backup_schedule.overdue');
    },

    recordFailure(workspaceId: string, failure: string): void {
      const isFirst = store.find(workspaceId)?.failedAt === null;
      store.update(workspaceId, { failedAt: clock.now(), failure });
      if (isFirst) record(workspaceId, 'backup_schedule.failed');
      push(workspaceId);
    },

    recordSuccess(workspaceId: string): void {
      const before = store.find(workspaceId);
      if (before && (before.failedAt !== null || before.overdueAt !== null)) {
        store.update(workspaceId, { failedAt: null, failure: null, overdueAt: null });
        record(workspaceId, 'backup_schedule.recovered');
      }
      push(workspaceId);
    },
  };
}
