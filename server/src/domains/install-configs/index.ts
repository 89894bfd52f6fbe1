export { type Adoption, createAdoption, type Start } from './adoption.ts';
export { createConfigDigests } from './digests.ts';
export { type ConfigEdits, createConfigEdits } from './edits.ts';
export { findMisfit } from './misfit.ts';
export { installConfigsRoutes } from './routes.ts';
export { createInstallConfigsService, type InstallConfigsService, type PrivateConfig } from './service.ts';
