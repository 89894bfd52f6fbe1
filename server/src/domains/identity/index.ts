export type { Account } from './accounts.ts';
export { type ExternalIdentity, loginNotAllowed } from './accounts-changes.ts';
export { cookieText, type SessionCookie, signedInHeader } from './cookie.ts';
export { createPasswords, type Passwords, requireStrongPassword } from './passwords.ts';
export { identityRoutes } from './routes.ts';
export { createIdentityService, type IdentityService } from './service.ts';
export { type IssuedSession, newToken, tokenHashOf } from './sign-ins.ts';
