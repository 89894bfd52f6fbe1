import { z } from 'zod';
import { Count, DisplayName, Timestamp } from '../kernel/scalars.ts';
import { webhookLimits } from '../limits.ts';
import { notificationEventNames } from '../notifications/events.ts';
import { testEvent } from '../notifications/message.ts';

/**
 * Forms of a delivery. `json` is the record of this product. `slack` is a text that Slack and Mattermost accept; Teams
 * accepts only Adaptive Cards, which is `teams`.
 */
export const webhookFormats = ['json', 'slack', 'teams'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** Reason for which the server disabled a webhook: its receiver failed for a day, or answered 410 Gone. */
export const disabledReasons = ['failing', 'gone'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const WebhookName = DisplayName;
export const WebhookEvents = z
  .array(z.enum(notificationEventNames))
  .min(1)
  .max(notificationEventNames.length)
  .refine((events) => new Set(events).size === events.length, 'An event is named twice.');
/** Written only: an answer shows the host. */
export const WebhookUrl = z.string().min(1).max(webhookLimits.urlLength);

/** A webhook, without its address and its secret. */
export const Webhook = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  events: WebhookEvents,
  format: z.enum(webhookFormats),
  /** Host of the address, with its port where it has one. */
  host: z.string(),
  enabled: z.boolean(),
  /** Set while the server, and not a person, has disabled the webhook. */
  disabled: z.strictObject({ at: Timestamp, reason: z.enum(disabledReasons) }).optional(),
  /** Time of the first failed attempt since the last delivery that succeeded. */
  failingSince: Timestamp.optional(),
  /** Deliveries that wait for their first or next attempt. */
  pendingCount: Count,
  /** End of the time in which deliveries are signed with the previous secret too. */
  previousSecretUntil: Timestamp.optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Webhook = z.infer<typeof Webhook>;

/** `dropped`: never attempted again, because too many waited or the webhook was disabled. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Class of the failure of an attempt. The answer itself is never stored. */
export const deliveryErrors = [
  'address_refused',
  'name_not_resolved',
  'connection_failed',
  'certificate_refused',
  'timed_out',
  'redirected',
  'refused',
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

export const DeliveryAttempt = z.strictObject({
  at: Timestamp,
  durationMs: Count,
  statusCode: Count.optional(),
  /** Absent for an attempt that succeeded. */
  error: z.enum(deliveryErrors).optional(),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const deliveryEvents = [...notificationEventNames, testEvent] as const;

/** One message to one webhook. `id` is the header `webhook-id` of each of its attempts. */
export const WebhookDelivery = z.strictObject({
  id: z.string(),
  webhookId: z.string(),
  event: z.enum(deliveryEvents),
  status: z.enum(deliveryStatuses),
  capsuleId: z.string().optional(),
  capsuleName: z.string().optional(),
  runId: z.string().optional(),
  /** Oldest first. */
  attempts: z.array(DeliveryAttempt),
  nextAttemptAt: Timestamp.optional(),
  createdAt: Timestamp,
  finishedAt: Timestamp.optional(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
