import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const accounts = sqliteTable('accounts', {
  id: text().primaryKey(),
  displayName: text('display_name'),
  email: text().unique(),
  createdAt: integer('created_at').notNull(),
});

/** Tokens are stored only as SHA-256. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: text().primaryKey(),
    tokenHash: text('token_hash').notNull().unique(),
    subject: text()
      .notNull()
      .references(() => accounts.id),
    userAgent: text('user_agent'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('sessions_subject').on(table.subject, table.createdAt)],
);

export const signInLinks = sqliteTable('sign_in_links', {
  tokenHash: text('token_hash').primaryKey(),
  subject: text()
    .notNull()
    .references(() => accounts.id),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  usedAt: integer('used_at'),
});
