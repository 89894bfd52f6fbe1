export { createExternalAccounts } from './external.ts';
export { createOidcSignIn, type OidcSignIn } from './oidc.ts';
export { type Provider, readProviders } from './providers.ts';
export { signInRoutes } from './routes.ts';
export { createSignInService, type SignInService } from './service.ts';
export { createSetupCode } from './setup.ts';
