export { createApplyFinish } from './apply-finish.ts';
export { createBoundPlans } from './bound.ts';
export { createJobSpec, type Folders, runDirOf } from './job-spec.ts';
export { createDeployJob } from './jobs.ts';
export { createPlanFinish } from './plan-finish.ts';
export { deploysRoutes } from './routes.ts';
export { createDeploysService, type DeploysService } from './service.ts';
export { createDeploysStore } from './store.ts';
export { createToolbox, type Toolbox } from './toolbox.ts';
