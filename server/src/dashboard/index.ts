export { contentSecurityPolicy, pageOf } from './page.ts';
