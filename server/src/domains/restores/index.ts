export { createStateComparison } from './difference.ts';
export type { StateToRestore } from './prepare.ts';
export { requireFreeLineage } from './refusals.ts';
export type { RestoreRequest } from './requests.ts';
export { restoresRoutes } from './routes.ts';
export { createRestoreSecrets } from './secrets.ts';
export { createRestoresService, type RestoresService } from './service.ts';
