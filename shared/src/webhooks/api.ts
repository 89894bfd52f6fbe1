import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import {
  deliveryEvents,
  deliveryStatuses,
  Webhook,
  WebhookDelivery,
  WebhookEvents,
  WebhookName,
  WebhookUrl,
  webhookFormats,
} from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });
const webhookPath = workspacePath.extend({ webhookId: z.string() });
const deliveryPath = webhookPath.extend({ deliveryId: z.string() });
const one = z.strictObject({ webhook: Webhook });
const withSecret = z.strictObject({ webhook: Webhook, signingSecret: z.string().optional() });
const oneDelivery = z.strictObject({ delivery: WebhookDelivery });

/**
 * Class W for reads too: hosts, events and the log of deliveries say where the events of a Workspace go and how to reach
 * people, and only those who decide about that need them.
 */
export const webhooksApi = defineApi({
  listWebhooks: {
    method: 'GET',
    path: '/workspaces/:workspaceId/webhooks',
    summary: 'Webhooks of a Workspace, oldest first',
    class: 'W',
    params: workspacePath,
    replies: { 200: z.strictObject({ webhooks: z.array(Webhook) }) },
  },
  createWebhook: {
    method: 'POST',
    path: '/workspaces/:workspaceId/webhooks',
    summary: 'Create a webhook; its secret is shown once',
    class: 'W',
    params: workspacePath,
    body: z.strictObject({
      name: WebhookName,
      url: WebhookUrl,
      events: WebhookEvents,
      format: z.enum(webhookFormats).default('json'),
    }),
    replies: { 201: withSecret },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  getWebhook: {
    method: 'GET',
    path: '/workspaces/:workspaceId/webhooks/:webhookId',
    summary: 'One webhook',
    class: 'W',
    params: webhookPath,
    replies: { 200: one },
    errors: ['not_found'],
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/workspaces/:workspaceId/webhooks/:webhookId',
    summary: 'Change a webhook, disable it, or enable it again; an archived Workspace can only disable it',
    class: 'W',
    whenArchived: true,
    params: webhookPath,
    body: z.strictObject({
      name: WebhookName.optional(),
      url: WebhookUrl.optional(),
      events: WebhookEvents.optional(),
      format: z.enum(webhookFormats).optional(),
      enabled: z.boolean().optional(),
    }),
    replies: { 200: one },
    errors: ['not_found', 'invalid_argument', 'failed_precondition'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/workspaces/:workspaceId/webhooks/:webhookId',
    summary: 'Delete a webhook with its log of deliveries',
    class: 'W',
    whenArchived: true,
    params: webhookPath,
    replies: { 204: z.undefined() },
    errors: ['not_found'],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/workspaces/:workspaceId/webhooks/:webhookId/rotate-secret',
    summary: 'Make a new secret; deliveries are signed with the previous one too for a day',
    class: 'W',
    params: webhookPath,
    replies: { 200: withSecret },
    errors: ['not_found'],
  },
  testWebhook: {
    method: 'POST',
    path: '/workspaces/:workspaceId/webhooks/:webhookId/test',
    summary: 'Send a test message once',
    class: 'W',
    rate: 'webhookTests',
    params: webhookPath,
    replies: { 202: oneDelivery },
    errors: ['not_found'],
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/workspaces/:workspaceId/webhooks/:webhookId/deliveries',
    summary: 'Log of deliveries, newest first, without bodies of answers',
    class: 'W',
    params: webhookPath,
    query: pageQuery.extend({
      status: z.enum(deliveryStatuses).optional(),
      event: z.enum(deliveryEvents).optional(),
    }),
    replies: { 200: z.strictObject({ deliveries: z.array(WebhookDelivery), nextCursor: z.string().optional() }) },
    errors: ['not_found'],
  },
  redeliver: {
    method: 'POST',
    path: '/workspaces/:workspaceId/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
    summary: 'Send a delivery again, with the same webhook-id',
    class: 'W',
    rate: 'webhookTests',
    params: deliveryPath,
    replies: { 202: oneDelivery },
    errors: ['not_found', 'failed_precondition'],
  },
});
