export { type Adoption, createAdoption, type Start } from './adoption.ts';
export { createConfigDigests } from './digests.ts';
export { type ConfigEdits, createConfigEdits } from './edits.ts';
export { findMisfit } from './misfit.ts';
export { configsRoutes } from './routes.ts';
export { type ConfigsService, createConfigsService, type PrivateConfig } from './service.ts';
