export { createConfigurationPlans } from './configuration.ts';
export { createInstallChecks } from './install-checks.ts';
export { createInstallSteps } from './install-steps.ts';
export { coordinatorsRoutes } from './routes.ts';
export { type CoordinatorsService, createCoordinatorsService } from './service.ts';
