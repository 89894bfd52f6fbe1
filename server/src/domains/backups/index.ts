export { backupsRoutes } from './routes.ts';
