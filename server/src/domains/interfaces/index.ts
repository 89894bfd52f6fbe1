export { createInterfaces, type InterfacesDomain } from './domain.ts';
export type { AppliedBlueprints } from './intents.ts';
export { interfacesOperatorRoutes, interfacesRoutes } from './routes.ts';
export type { TokenGrant } from './token-grants.ts';
