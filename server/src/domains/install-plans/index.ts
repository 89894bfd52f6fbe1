export { createConfigurationPlans } from '../configuration-plans/service.ts';
export { createReAdoptions } from '../re-adoptions/service.ts';
export { createRevisionPlans } from '../revision-plans/service.ts';
export { createInstallChecks } from './checks.ts';
export { createDirectCommit } from './direct.ts';
export { createPlanExpiry } from './expiry.ts';
export { coordinatorsRoutes } from './routes.ts';
export { type CoordinatorsService, createCoordinatorsService } from './service.ts';
export { createInstallSteps } from './steps.ts';
