export {
  type AuthorityFault,
  authorityDigestOf,
  type CapsuleAuthority,
  type FindAuthority,
} from './capsule-authority.ts';
export type { CapsuleClients } from './capsule-clients.ts';
export { issuerOperatorRoutes, issuerRoutes } from './routes.ts';
export { createIssuerService, type IssuerService } from './service.ts';
