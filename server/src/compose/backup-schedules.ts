import {
  createBackupScheduler,
  createBackupSchedulesService,
  createBackupSchedulesStore,
  createScheduleReports,
} from '../domains/backup-schedules/index.ts';
import type { BackupsService } from '../domains/backups/index.ts';
import type { ConnectionsService } from '../domains/connections/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import { openStoreOf } from './object-stores.ts';

type Parts = BaseDomains & { backups: BackupsService; connections: ConnectionsService };

/** Builds the schedules of backups and what makes the ones that are due. */
export function buildBackupSchedules(
  { settings, db, clock, log }: AppContext,
  { activity, backups, connections, unattendedGate, shared: { outbox } }: Parts,
) {
  const store = createBackupSchedulesStore(db);
  const reports = createScheduleReports({ clock, store, activity, outbox });
  const folderRules = { folders: settings.backupFolders, dataDir: settings.dataDir };
  const backupScheduler = createBackupScheduler({
    db,
    clock,
    log,
    unattendedGate,
    store,
    backups,
    reports,
    ...folderRules,
    findAccount: connections.findObjectStorage,
    openStore: openStoreOf(settings, { allowLoopback: settings.allowLoopbackGit }),
  });
  const known = { db, clock, store, connections, activity, reports, folderRules };
  return { backupScheduler, backupSchedules: createBackupSchedulesService({ ...known, scheduler: backupScheduler }) };
}
