export { findHold, heldMessage } from './hold.ts';
export { createHoldEnds } from './hold-ends.ts';
export { capsulesRoutes } from './routes.ts';
export { type CapsuleRow, type CapsulesService, createCapsulesService } from './service.ts';
export { createStalenessNotifier, type StalenessNotifier } from './staleness-notifier.ts';
