export { dependenciesRoutes } from './routes.ts';
export { createDependenciesService, type DependenciesService } from './service.ts';
export type { DependencyInput } from './shown-inputs.ts';
export { type InjectedRunValues, nothingInjected } from './snapshots.ts';
export { createDependenciesStore } from './store.ts';
