export { interfacesRoutes } from './routes.ts';
