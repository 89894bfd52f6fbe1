export { createExternalAccounts } from './external.ts';
export { createOidcSignIn } from './oidc.ts';
export { readProviders } from './providers.ts';
export { signInRoutes } from './routes.ts';
export { createSignInService } from './service.ts';
export { createSetupCode } from './setup.ts';
