export { dependenciesRoutes } from './routes.ts';
export { createDependenciesService, type DependenciesService } from './service.ts';
export { type FedRun, nothingFed } from './snapshots.ts';
export { createDependenciesStore } from './store.ts';
