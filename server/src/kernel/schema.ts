import { blob, customType, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { parseExactly } from '#shared/kernel/exact-number';

/** Text column that holds JSON and keeps the exact digits of its numbers. */
export const exactJson = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (text) => parseExactly(text),
});

/** Facts of this installation: its id, and keys that never leave it. */
export const installation = sqliteTable('installation', { name: text().primaryKey(), value: text().notNull() });

/** Events of committed changes, in commit order, for pages and streams. */
export const outbox = sqliteTable('outbox', {
  seq: integer().primaryKey({ autoIncrement: true }),
  workspaceId: text('workspace_id').notNull(),
  kind: text().notNull(),
  recordId: text('record_id').notNull(),
  status: text(),
  createdAt: integer('created_at').notNull(),
});

/** Answers of requests that carried an `Idempotency-Key`. */
export const receipts = sqliteTable(
  'receipts',
  {
    scope: text().notNull(),
    actor: text().notNull(),
    route: text().notNull(),
    keyDigest: text('key_digest').notNull(),
    requestDigest: text('request_digest').notNull(),
    status: integer().notNull(),
    body: blob({ mode: 'buffer' }),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scope, table.actor, table.route, table.keyDigest] }),
    index('receipts_expiry').on(table.expiresAt),
  ],
);
