export { type BoundPlans, createBoundPlans } from './bound.ts';
export { createAuthorityCheck } from './oidc-authority.ts';
export { planDigestOf } from './plan-digest.ts';
export { createPlanFinish } from './plan-finish.ts';
export type { GroupPosition, WaitsFor } from './plannable.ts';
export { createPolicyGate, type PolicyGate } from './policy-gate.ts';
export { factsOf, scopeOf } from './proposals.ts';
export {
  hasConfigurationChanged,
  hasStateChanged,
  holdCheckOf,
  newerPlanMessage,
  refusalOf,
  requireAll,
} from './review-checks.ts';
export { plansRoutes } from './routes.ts';
export { type RunInputs, readConfigInputs, readRunInputs } from './run-inputs.ts';
export { toolOfNewRun } from './run-tool.ts';
export { createSealedDigests } from './sealed-digests.ts';
export { createSealedPlans, planFilesOf } from './sealed-plans.ts';
export { createPlansService, type PlansService } from './service.ts';
export { createPlanChecks } from './start-checks.ts';
export { takeOutputs } from './start-outputs.ts';
export { createPlansStore, type PlanSeal, type PlansStore } from './store.ts';
