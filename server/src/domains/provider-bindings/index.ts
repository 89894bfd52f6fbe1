export { createGrants, type Grants } from './issued-credentials.ts';
export { completeResolution, createMinting, type MintCredentials, needsMinting } from './minting.ts';
export type { BindingResolution } from './resolve.ts';
export { providerBindingsRoutes } from './routes.ts';
export { createSecretRetirement } from './secret-retirement.ts';
export { createProviderBindingsService, type InputDefault, type ProviderBindingsService } from './service.ts';
export { createProviderBindingsStore } from './store.ts';
export { blockMessage, isUnbound, requireSupported } from './supported.ts';
