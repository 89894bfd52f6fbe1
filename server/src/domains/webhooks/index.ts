export { createEventSource, type EventSource, type RaisedEvent } from './events.ts';
export { createEventMessages, type EventMessages } from './messages.ts';
export { webhooksRoutes } from './routes.ts';
export { createWebhooksService, type WebhooksService } from './service.ts';
