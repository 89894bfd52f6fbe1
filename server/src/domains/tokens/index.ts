export { tokensRoutes } from './routes.ts';
export { createTokensService } from './service.ts';
export { createTokensStore } from './store.ts';
