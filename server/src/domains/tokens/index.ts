export { tokensRoutes } from './routes.ts';
export { createTokensService, type TokensService } from './service.ts';
export { createTokensStore } from './store.ts';
