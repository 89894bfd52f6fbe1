export { createApplyFinish } from './apply-finish.ts';
export { createApplySecrets, secretTestOf } from './apply-secrets.ts';
export { appliesRoutes } from './routes.ts';
export { type AppliesService, createAppliesService } from './service.ts';
export { createHoldCheck, createSealCheck } from './start-checks.ts';
