export { createApplyFinish } from './apply-finish.ts';
export { appliesRoutes } from './routes.ts';
export { type AppliesService, createAppliesService } from './service.ts';
export { createSealCheck } from './start-checks.ts';
