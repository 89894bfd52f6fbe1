export { createDriftMarks, createFindDrift, createListDrift } from './marks.ts';
export { driftRoutes } from './routes.ts';
export { createDriftSchedule, type DriftSchedule } from './schedule.ts';
export { createScheduleMoves } from './schedule-moves.ts';
export { createDriftService, type DriftService } from './service.ts';
export { createDriftStore } from './store.ts';
