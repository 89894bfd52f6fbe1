export { capsulesRoutes } from './routes.ts';
export { type CapsuleRow, type CapsulesService, createCapsulesService } from './service.ts';
export { createStalenessNotifier, type StalenessNotifier } from './staleness-notifier.ts';
