import { accepted, actorOf, type Mount, noContent, ok } from '#server/kernel/http/index';
import { backupSchedulesApi } from '#shared/backup-schedules/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { BackupSchedulesService } from './service.ts';

export const backupSchedulesRoutes = (mount: Mount, schedules: BackupSchedulesService): void =>
  mount(backupSchedulesApi, {
    getBackupSchedule: ({ params }) => ok(schedules.get(params.workspaceId)),
    saveBackupSchedule:
      ({ params, body: { hour, keep, target, ...rest }, caller }) =>
      () => {
        nothingLeft(rest);
        return ok({ schedule: schedules.save(params.workspaceId, { hour, keep, target }, actorOf(caller)) });
      },
    deleteBackupSchedule:
      ({ params, caller }) =>
      () => {
        schedules.delete(params.workspaceId, actorOf(caller));
        return noContent();
      },
    startScheduledBackup:
      ({ params }) =>
      () =>
        accepted({ schedule: schedules.startNow(params.workspaceId) }),
  });
