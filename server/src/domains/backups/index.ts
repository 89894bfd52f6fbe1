export { backupFileOf } from './files.ts';
export { backupsRoutes } from './routes.ts';
export { type BackupsService, createBackupsService } from './service.ts';
export { rowsOfWorkspace } from './tables.ts';
