export type { CurrentOutput, CurrentOutputs } from './current-outputs.ts';
export { isOfType, typeOf } from './output-type.ts';
export { stateVersionsRoutes } from './routes.ts';
export { type CurrentPublicOutputs, createStateVersionsService, type StateVersionsService } from './service.ts';
export type { LineageHolder, StateHead } from './store.ts';
