import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { accounts } from '#server/domains/identity/schema';
import { exactJson } from '#server/kernel/schema';

/** Codes, tokens and grants of the issuer, by the hash of their value; payloads are sealed. */
export const oidcRecords = sqliteTable(
  'oidc_records',
  {
    /** Kind and hash of the value. */
    id: text().primaryKey(),
    payload: blob({ mode: 'buffer' }).notNull(),
    /** A grant is everything that one authorization leads to. */
    grantId: text('grant_id'),
    consumedAt: integer('consumed_at'),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('oidc_records_grant').on(table.grantId), index('oidc_records_expiry').on(table.expiresAt)],
);

/** The account, the client and the Workspace of a grant. */
export const oidcGrants = sqliteTable(
  'oidc_grants',
  {
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    clientId: text('client_id').notNull(),
    workspaceId: text('workspace_id'),
    scopes: exactJson().$type<string[]>().notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('oidc_grants_account').on(table.accountId, table.clientId),
    index('oidc_grants_expiry').on(table.expiresAt),
  ],
);

/** Consents that an account has given and not withdrawn. */
export const oidcConsents = sqliteTable(
  'oidc_consents',
  {
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    clientId: text('client_id').notNull(),
    /** Empty for a consent without a Workspace. */
    workspaceId: text('workspace_id').notNull(),
    /** Sorted. */
    scopes: exactJson().$type<string[]>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [uniqueIndex('oidc_consents_of').on(table.accountId, table.clientId, table.workspaceId)],
);

/** Pages of consent that wait for a decision, by the hash of their id. */
export const oidcConsentRequests = sqliteTable(
  'oidc_consent_requests',
  {
    idHash: text('id_hash').primaryKey(),
    sessionId: text('session_id').notNull(),
    accountId: text('account_id').notNull(),
    clientId: text('client_id').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    workspaceId: text('workspace_id').notNull(),
    scopes: exactJson().$type<string[]>().notNull(),
    /** The parameters of the authorization, as sent. */
    search: text().notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('oidc_consent_requests_expiry').on(table.expiresAt)],
);

/** Signing keys, the newest in use; a replaced one stays listed for a day. */
export const oidcKeys = sqliteTable(
  'oidc_keys',
  {
    /** Thumbprint (RFC 7638). */
    kid: text().primaryKey(),
    x: text().notNull(),
    y: text().notNull(),
    /** The private part, sealed. */
    secret: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
    replacedAt: integer('replaced_at'),
  },
  (table) => [index('oidc_keys_created').on(table.createdAt)],
);

/**
 * The client of a Capsule, with what its last apply was authorized for (`activationContract`). It may be used while the
 * Capsule still has exactly this authority.
 */
export const oidcCapsuleClients = sqliteTable(
  'oidc_capsule_clients',
  {
    capsuleId: text('capsule_id').primaryKey(),
    workspaceId: text('workspace_id').notNull(),
    clientId: text('client_id').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    /** Sorted. */
    scopes: exactJson().$type<string[]>().notNull(),
    executionAuthorityEpoch: integer('execution_authority_epoch').notNull(),
    installConfigDigest: text('install_config_digest').notNull(),
    /** Digest of all the above. */
    digest: text().notNull(),
    /** The apply that last wrote the row. */
    runId: text('run_id').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('oidc_capsule_clients_client').on(table.clientId)],
);
