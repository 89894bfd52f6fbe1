import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const accounts = sqliteTable('accounts', {
  id: text().primaryKey(),
  displayName: text('display_name'),
  email: text().unique(),
  /** Time at which the account was seen to receive mail at its e-mail; absent while that is not known. */
  emailVerifiedAt: integer('email_verified_at'),
  createdAt: integer('created_at').notNull(),
  /** argon2id in PHC form. */
  passwordHash: text('password_hash'),
  /** Reserved: a person was invited by this e-mail and has not signed in. Absent on accounts of people. */
  reservedAt: integer('reserved_at'),
  disabledAt: integer('disabled_at'),
});

/** Identity of an account at an external provider (OpenID Connect Core 1.0, 2: issuer and subject identify a person permanently). */
export const externalIdentities = sqliteTable(
  'external_identities',
  {
    issuer: text().notNull(),
    externalSubject: text('external_subject').notNull(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.externalSubject] }),
    index('external_identities_account').on(table.accountId),
  ],
);

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
    lastSeenAt: integer('last_seen_at'),
    /** Sign-in method that created it. */
    madeBy: text('made_by', { enum: ['link', 'operator', 'setup', 'password', 'invitation', 'provider'] }),
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
  /** The e-mail to which the link was sent. */
  mailedTo: text('mailed_to'),
});
