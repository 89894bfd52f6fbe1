export type { BindingResolution } from './arrange.ts';
export { createGrants, type Grants } from './grants.ts';
export { bindingsRoutes } from './routes.ts';
export { blockMessage, isUnbound, requireSupported } from './served.ts';
export { type BindingsService, createBindingsService, type ModuleBindingsInput } from './service.ts';
export { createBindingsStore } from './store.ts';
