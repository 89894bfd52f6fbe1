export { type Adoption, createAdoption } from './adoption.ts';
export { createConfigDigests } from './digests.ts';
export { type ConfigEdits, createConfigEdits } from './edits.ts';
export { defaultFor, isSettable, settleValues } from './host-values.ts';
export { createHostnames, type Hostnames } from './hostnames.ts';
export { findMisfit } from './misfit.ts';
export { findBlueprintProblem } from './patch-declarations.ts';
export { type CapsuleLocation, findEndpoint, type HostnameRules, isOrigin } from './public-address.ts';
export { replayedChangeOf } from './replayed-change.ts';
export { installConfigsRoutes } from './routes.ts';
export { createInstallConfigsService, type InstallConfigsService, type PrivateConfig } from './service.ts';
export { findSignIn, type SignInProjection, signInNames } from './sign-in.ts';
export type { ValueVersion } from './value-history.ts';
export {
  findOversize,
  findVariableFault,
  findVariableProblem,
  type InjectedVariable,
  isAdopted,
  secretNames,
  variableContractDigest,
} from './variables.ts';
