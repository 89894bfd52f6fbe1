export { createFenceFacts, type FenceFact } from './fence-facts.ts';
export { findFenceRecord } from './fence-object.ts';
export { fenceRoutes } from './routes.ts';
export { createFenceService, type FenceService, type FenceTarget } from './service.ts';
