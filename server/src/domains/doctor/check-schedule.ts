import { findFact } from '#server/kernel/installation';
import type { InstallationBackupState } from '#shared/backup-schedules/installation-state';
import { backupScheduleLimits } from '#shared/limits';
import { type Check, problem } from './finding.ts';

/** Reports a daily backup of the installation that failed, or whose newest copy is too old. */
export const backupScheduleCheck: Check = {
  name: 'backup-schedule',
  needs: ['tables'],
  examine({ ledger, clock }) {
    const state = findFact<InstallationBackupState>(ledger, 'backup_schedule') ?? {};
    const { dueAt, stored, failed } = state;
    // Without a time there is no schedule.
    if (dueAt === undefined) return [];
    const last = stored ? `The newest one is of ${new Date(stored.at).toISOString()}.` : 'None was stored yet.';
    const remedy = 'Check GROUNDCTL_BACKUP_TARGET and the log. The server tries again within the hour.';
    if (failed)
      return [problem({ message: `The backup of the installation failed: ${failed.message} ${last}`, remedy })];
    if (clock.now() - (stored?.at ?? dueAt) < backupScheduleLimits.overdueMs) return [];
    return [
      problem({
        message: `The backup of the installation is overdue. ${last}`,
        remedy: 'Start the server, or end its pause.',
      }),
    ];
  },
};
