import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { exactJson } from '#server/kernel/schema';
import { keyJobKinds, keySources, type SealReason } from '#shared/keys/contract';

/** The master key, which seals the data keys. Has two rows only while it is being changed. */
export const masterKeys = sqliteTable(
  'master_keys',
  {
    /** Derived from the key itself. */
    id: text().primaryKey(),
    source: text({ enum: [...keySources, 'memory'] }).notNull(),
    /** `incoming` is stored by its source and seals nothing yet; `leaving` seals nothing any more. */
    state: text({ enum: ['incoming', 'active', 'leaving'] }).notNull(),
    /** Parameters of a passphrase: salt and cost. */
    params: exactJson().$type<{ salt: string; n: number; r: number; p: number }>(),
    canary: blob({ mode: 'buffer' }).notNull(),
    /** True when this installation created the key; a key that was found may be shared with another installation, and is never removed. */
    made: integer({ mode: 'boolean' }).notNull(),
    /** Reason that the requested keychain is not the source. */
    keychainMissed: text('keychain_missed').$type<SealReason>(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [uniqueIndex('master_keys_active').on(table.state).where(sql`state = 'active'`)],
);

/** Keys that seal rows: one sequence of versions for each Workspace and one for the installation. */
export const dataKeys = sqliteTable(
  'data_keys',
  {
    /** Id of a Workspace, `installation`, or `interim`. */
    scope: text().notNull(),
    version: integer().notNull(),
    masterKeyId: text('master_key_id')
      .notNull()
      .references(() => masterKeys.id),
    wrapped: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scope, table.version] }),
    index('data_keys_master').on(table.masterKeyId, table.scope, table.version),
  ],
);

/** Keys of the installation by purpose, sealed with its data key. */
export const installationSecrets = sqliteTable('installation_secrets', {
  purpose: text().primaryKey(),
  sealed: blob({ mode: 'buffer' }).notNull(),
});

/** Progress of the re-encryption of all sealed values. */
export const keyJobs = sqliteTable('key_jobs', {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: text({ enum: keyJobKinds }).notNull(),
  /** The current table and column, empty at the start, and the last row that was completed. */
  column: text().notNull(),
  after: text().notNull(),
  resealed: integer().notNull(),
  unreadable: integer().notNull(),
  startedAt: integer('started_at').notNull(),
  finishedAt: integer('finished_at'),
});
