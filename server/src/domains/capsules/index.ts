export { capsulesRoutes } from './routes.ts';
export { type CapsuleRow, type CapsulesService, createCapsulesService } from './service.ts';
