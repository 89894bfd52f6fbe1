export type { Arrangement } from './arrange.ts';
export { createGrants, type Grants } from './grants.ts';
export { bindingsRoutes } from './routes.ts';
export { blockSentence, isUnbound, requireServed } from './served.ts';
export { type BindingAsk, type BindingsService, createBindingsService } from './service.ts';
export { createBindingsStore } from './store.ts';
