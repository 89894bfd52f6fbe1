// Revision plans share the common steps, the reconciler and their parts.
export { createCheckStep } from './check-step.ts';
export type { DirectCapsule } from './commit-capsule.ts';
export { createPlanExpiry } from './expiry.ts';
export type { IdempotencyKey } from './plan-record.ts';
export { createPlanSteps, type PlanState, type PlanStepPorts } from './plan-steps.ts';
export { done, guardStep, type Step } from './reconcile.ts';
export { findDiagnosticCode } from './refusal-codes.ts';
export { installPlansRoutes, requireCreator } from './routes.ts';
export { createInstallPlansService } from './service.ts';
export { createStepwisePlans } from './stepwise-plans.ts';
