export type { Resolve } from './addresses.ts';
export { createWebhookClient, type WebhookClient, type WebhookResult } from './post.ts';
