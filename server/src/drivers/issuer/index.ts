export type { AuthorizationPorts } from './authorization.ts';
export type { IssuerPorts } from './configuration.ts';
export type { IssuerRequest } from './current-request.ts';
export { createIssuer, type Issuer, type IssuerAnswer } from './issuer.ts';
export { outage } from './outage-text.ts';
export type {
  AccountClaims,
  AuthorizationRequest,
  IssuerClient,
  IssuerPerson,
  RecordStore,
  SigningKey,
  StoredRecord,
} from './ports.ts';
