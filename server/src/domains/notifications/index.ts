export { createMailQueue } from './mail-queue.ts';
export { createMailWriter } from './mail-writer.ts';
export { notificationsRoutes } from './routes.ts';
export { createNotificationsService, type NotificationsService } from './service.ts';
export { createNotificationsStore } from './store.ts';
