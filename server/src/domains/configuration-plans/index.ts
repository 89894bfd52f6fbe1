export { requireIdle, requireNoWork } from './checks.ts';
export { createConfigurationReader } from './configuration.ts';
export {
  type PatchedValues,
  patchValues,
  refuseSentinels,
  type VariableContract,
  type VariableValues,
} from './patch.ts';
export { configurationPlansRoutes } from './routes.ts';
export { createConfigurationPlansService } from './service.ts';
