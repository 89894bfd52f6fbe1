export { capsulesRoutes } from './routes.ts';
export { type CapsuleRow, type CapsulesService, createCapsulesService } from './service.ts';
export { createStalenessNotifier, type LaneHead, type StalenessNotifier } from './staleness-notifier.ts';
