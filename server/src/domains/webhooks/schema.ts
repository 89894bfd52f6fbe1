import { sql } from 'drizzle-orm';
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { NotificationEvent } from '#shared/notifications/events';
import type { EventMessage } from '#shared/notifications/message';
import {
  type DeliveryError,
  deliveryEvents,
  deliveryStatuses,
  disabledReasons,
  webhookFormats,
} from '#shared/webhooks/contract';

/** Webhooks of Workspaces. Address and secrets are sealed, because the address of a chat is a credential too. */
export const webhooks = sqliteTable(
  'webhooks',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    name: text().notNull(),
    events: exactJson().$type<NotificationEvent[]>().notNull(),
    format: text({ enum: webhookFormats }).notNull(),
    host: text().notNull(),
    url: blob({ mode: 'buffer' }).notNull(),
    secret: blob({ mode: 'buffer' }).notNull(),
    previousSecret: blob('previous_secret', { mode: 'buffer' }),
    previousSecretUntil: integer('previous_secret_until'),
    enabled: integer({ mode: 'boolean' }).notNull(),
    disabledAt: integer('disabled_at'),
    disabledReason: text('disabled_reason', { enum: disabledReasons }),
    failingSince: integer('failing_since'),
    /** Failed attempts since the last one that succeeded. */
    failures: integer().notNull().default(0),
    /** Deliveries other than tests wait until then, so that a receiver that fails is not called for each of them. */
    pausedUntil: integer('paused_until'),
    /** Time of the next attempt; null while no delivery waits. */
    dueAt: integer('due_at'),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('webhooks_workspace').on(table.workspaceId, table.createdAt, table.id),
    index('webhooks_due').on(table.dueAt).where(sql`due_at IS NOT NULL`),
  ],
);

/** One attempt to deliver; times in epoch milliseconds. */
export type StoredAttempt = { at: number; durationMs: number; statusCode?: number; error?: DeliveryError };

/** Messages to webhooks, written in the transaction of their event: the queue and the log of deliveries. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    webhookId: text('webhook_id')
      .notNull()
      .references(() => webhooks.id),
    workspaceId: text('workspace_id').notNull(),
    event: text({ enum: deliveryEvents }).notNull(),
    status: text({ enum: deliveryStatuses }).notNull(),
    message: exactJson().$type<EventMessage>().notNull(),
    attempts: exactJson().$type<StoredAttempt[]>().notNull(),
    /** Attempts that are left. */
    tries: integer().notNull(),
    dueAt: integer('due_at'),
    createdAt: integer('created_at').notNull(),
    finishedAt: integer('finished_at'),
  },
  (table) => [
    index('webhook_deliveries_log').on(table.webhookId, table.seq),
    index('webhook_deliveries_status').on(table.webhookId, table.status, table.seq),
    index('webhook_deliveries_due').on(table.webhookId, table.dueAt).where(sql`status = 'pending'`),
    index('webhook_deliveries_pending').on(table.workspaceId, table.seq).where(sql`status = 'pending'`),
  ],
);
