export type { NatsTexts, NewEnrolment } from './enrolments.ts';
export type { MachineRow } from './machines-store.ts';
export { runnerPoolsRoutes } from './routes.ts';
export { createRunnerPoolsService, type RunnerPoolsService } from './service.ts';
