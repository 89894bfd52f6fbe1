export { createFirstStart, type RestoreEnds } from './first-start.ts';
export { createPause, type Pause } from './pause.ts';
export { installationRoutes } from './routes.ts';
export { createInstallationService, type InstallationService } from './service.ts';
export { createInstallationStore } from './store.ts';
