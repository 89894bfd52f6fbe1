export { removeBackupWork, type StreamOptions, streamInstallationBackup } from './backup-stream.ts';
export { markRestored } from './mark-restored.ts';
export { type RestoreOptions, restoreInstallation, type StagedBackup } from './restore.ts';
export { installationBackupsRoutes } from './routes.ts';
export { createInstallationBackupScheduler, type InstallationBackupPorts } from './schedule.ts';
export { createInstallationBackups, type InstallationBackups } from './service.ts';
export { type BackupVerification, verifyBackup } from './verify.ts';
