export { contentSecurityPolicy, readPage } from './page.ts';
