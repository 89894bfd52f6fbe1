export type { CurrentOutput, CurrentOutputs } from './current-outputs.ts';
export { isOfType, typeOf } from './output-type.ts';
export { statesRoutes } from './routes.ts';
export { createStatesService, type StatesService } from './service.ts';
