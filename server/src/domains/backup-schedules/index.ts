export { copyFailureOf, retryAfterMs } from './copies.ts';
export { nextDue } from './next-due.ts';
export { createScheduleReports } from './reports.ts';
export { backupSchedulesRoutes } from './routes.ts';
export { createBackupScheduler } from './schedule.ts';
export { type BackupSchedulesService, createBackupSchedulesService } from './service.ts';
export { createBackupSchedulesStore } from './store.ts';
export { bucketStore, folderStore, insideDataFolder, isInFolder, type TargetStore } from './targets.ts';
