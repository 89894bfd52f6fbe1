export { createConfigurationPlans } from './configuration.ts';
export { createDirectCommit } from './direct.ts';
export { createPlanExpiry } from './expiry.ts';
export { createInstallChecks } from './install-checks.ts';
export { createInstallSteps } from './install-steps.ts';
export { createReAdoptions } from './re-adoption.ts';
export { createRevisionPlans } from './revisions.ts';
export { coordinatorsRoutes } from './routes.ts';
export { type CoordinatorsService, createCoordinatorsService } from './service.ts';
