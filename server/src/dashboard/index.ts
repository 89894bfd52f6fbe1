export { contentSecurityPolicy, readPage } from './page.ts';
export { installLinkRoutes } from './routes.ts';
