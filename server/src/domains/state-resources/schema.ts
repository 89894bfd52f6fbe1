import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { stateVersions } from '#server/domains/state-versions/schema';
import { resourceChangeKinds } from '#shared/state-resources/contract';

/** Shown part of a StateVersion, made once from its state. A StateVersion of an earlier version has no row. */
export const stateProjections = sqliteTable(
  'state_projections',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    stateVersionId: text('state_version_id')
      .notNull()
      .unique()
      .references(() => stateVersions.id),
    workspaceId: text('workspace_id').notNull(),
    capsuleId: text('capsule_id').notNull(),
    generation: integer().notNull(),
    status: text({ enum: ['pending', 'ready', 'unreadable'] }).notNull(),
    /** Sealed: secret texts of the Run, until the projection is made. */
    secrets: blob({ mode: 'buffer' }),
    /** Sealed: everything but the objects. */
    head: blob({ mode: 'buffer' }),
    resourceCount: integer('resource_count').notNull(),
    /** Number of `check` blocks that failed; absent until it is known. */
    failedChecks: integer('failed_checks'),
    pageCount: integer('page_count').notNull(),
  },
  (table) => [
    index('state_projections_status').on(table.status, table.seq),
    index('state_projections_capsule').on(table.capsuleId, table.generation),
  ],
);

/** Objects of a projection, some at a time. */
export const projectionPages = sqliteTable(
  'projection_pages',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id').notNull(),
    stateVersionId: text('state_version_id')
      .notNull()
      .references(() => stateProjections.stateVersionId),
    number: integer().notNull(),
    /** Sealed. */
    page: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [uniqueIndex('projection_pages_number').on(table.stateVersionId, table.number)],
);

/** Paths that any generation of a Capsule marks as sensitive, and its moves. */
export const lateMarks = sqliteTable('late_marks', {
  capsuleId: text('capsule_id').primaryKey(),
  workspaceId: text('workspace_id').notNull(),
  /** Sealed: paths hold keys of maps. */
  marks: blob({ mode: 'buffer' }).notNull(),
});

/** History of the objects of a Capsule: one row for each change. Addresses hold keys of any text, so only digests are kept. */
export const resourceChanges = sqliteTable(
  'resource_changes',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id').notNull(),
    capsuleId: text('capsule_id').notNull(),
    generation: integer().notNull(),
    stateVersionId: text('state_version_id')
      .notNull()
      .references(() => stateVersions.id),
    /** Digest of the address with a key of the installation. */
    addressDigest: text('address_digest').notNull(),
    /** That of the address before a move. */
    previousDigest: text('previous_digest'),
    change: text({ enum: resourceChangeKinds }).notNull(),
    /** Sealed: both addresses of a move. */
    addresses: blob({ mode: 'buffer' }),
  },
  (table) => [
    index('resource_changes_address').on(table.capsuleId, table.addressDigest, table.generation),
    index('resource_changes_previous').on(table.capsuleId, table.previousDigest, table.generation),
    index('resource_changes_generation').on(table.capsuleId, table.generation),
  ],
);
