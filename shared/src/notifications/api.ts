import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { Email } from '../kernel/scalars.ts';
import { NotificationPreferences, Waiting } from './contract.ts';

const stored = z.strictObject({
  preferences: NotificationPreferences,
  /** True when this server sends mail and the account has an e-mail. */
  sendsMail: z.boolean(),
});

export const notificationsApi = defineApi({
  getWaiting: {
    method: 'GET',
    path: '/workspaces/:workspaceId/waiting',
    summary: 'Plans that the caller may approve or apply, and requests for that',
    class: 'R',
    params: z.strictObject({ workspaceId: z.string() }),
    replies: { 200: z.strictObject({ waiting: Waiting }) },
  },
  getNotificationPreferences: {
    method: 'GET',
    path: '/account/notification-preferences',
    summary: 'Events and Workspaces that the account is notified of',
    class: 'S',
    replies: { 200: stored },
  },
  setNotificationPreferences: {
    method: 'PUT',
    path: '/account/notification-preferences',
    summary: 'Replace the events and Workspaces that the account is notified of',
    class: 'S',
    body: NotificationPreferences,
    replies: { 200: stored },
  },
});

/** The check of the operator that mail is delivered. */
export const mailTestApi = defineApi({
  testMail: {
    method: 'POST',
    base: '/internal/v1',
    path: '/mail-tests',
    summary: 'Send a test mail now (operator)',
    class: 'Op',
    idempotency: 'none',
    body: z.strictObject({ email: Email }),
    replies: { 204: z.undefined() },
    errors: ['capability_not_available', 'feature_unavailable'],
  },
});
