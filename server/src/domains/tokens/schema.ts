import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { accounts } from '#server/domains/identity/schema';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';

/** Personal access tokens; the tokens themselves are stored only as SHA-256. */
export const accessTokens = sqliteTable(
  'access_tokens',
  {
    id: text().primaryKey(),
    tokenHash: text('token_hash').notNull().unique(),
    subject: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    prefix: text().notNull(),
    scopes: exactJson().$type<string[]>().notNull(),
    /** The one Workspace that a bound token sees. */
    workspaceId: text('workspace_id').references(() => workspaces.id),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    revokedAt: integer('revoked_at'),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('access_tokens_subject').on(table.subject, table.createdAt, table.id)],
);
