export { createInterfaces, type InterfacesDomain } from './domain.ts';
export type { PublicationInput } from './due-blueprints.ts';
export type { FormResourceReader } from './form-resource-reader.ts';
export type { AppliedBlueprints } from './intents.ts';
export type { PublishInput } from './publication.ts';
export { interfacesOperatorRoutes, interfacesRoutes } from './routes.ts';
export type { TokenGrant } from './token-grants.ts';
