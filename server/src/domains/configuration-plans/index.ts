export { requireIdle } from './checks.ts';
export { patchValues, refuseSentinels, type VariableContract, type VariableValues } from './patch.ts';
export { configurationPlansRoutes } from './routes.ts';
export { createConfigurationPlansService } from './service.ts';
