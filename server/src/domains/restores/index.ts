export { restoresRoutes } from './routes.ts';
