import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { ManifestProblem } from '#shared/manifest/contract';
import { codeHosts } from '#shared/sources/code-host';
import { type RepositoryManifest, type SnapshotCommit, sourceStatuses } from '#shared/sources/contract';
import type { CompatibilityReport } from '#shared/sources/report';

export const sources = sqliteTable(
  'sources',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    name: text().notNull(),
    url: text().notNull(),
    defaultRef: text('default_ref').notNull(),
    defaultPath: text('default_path').notNull(),
    /** Connection with which the repository is read. */
    authConnectionId: text('auth_connection_id'),
    status: text({ enum: sourceStatuses }).notNull(),
    autoSync: integer('auto_sync', { mode: 'boolean' }).notNull(),
    /** Kind of host, for links to commits; `none` where the address says it or no one has. */
    codeHost: text('code_host', { enum: codeHosts }).notNull().default('none'),
    /** Sealed instead of hashed, because signatures over bodies are checked with it. */
    hookSecret: blob('hook_secret', { mode: 'buffer' }).notNull(),
    /** Time at which the schedule last requested syncs; null before the first time. */
    polledAt: integer('polled_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('sources_polled').on(table.polledAt).where(sql`auto_sync = 1 AND status <> 'disabled'`),
    index('sources_workspace').on(table.workspaceId, table.createdAt, table.id),
    // Includes the columns of a search, because rows in this order are far apart.
    index('sources_updated').on(table.workspaceId, table.updatedAt, table.id, table.name, table.url),
    index('sources_url').on(table.workspaceId, table.url),
  ],
);

/** Entries that the archive leaves out, because a checkout of them could not be trusted. */
type LeftOut = { path: string; kind: string };

export const sourceSnapshots = sqliteTable(
  'source_snapshots',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id').notNull(),
    sourceId: text('source_id')
      .notNull()
      .references(() => sources.id),
    url: text().notNull(),
    ref: text().notNull(),
    resolvedCommit: text('resolved_commit').notNull(),
    path: text().notNull(),
    archiveDigest: text('archive_digest').notNull(),
    archiveSizeBytes: integer('archive_size_bytes').notNull(),
    repositoryManifest: exactJson('repository_manifest').$type<RepositoryManifest>().notNull(),
    /** Null in snapshots of an earlier version, until their commit is synced again. */
    commit: exactJson().$type<SnapshotCommit>(),
    leftOut: exactJson('left_out').$type<LeftOut[]>().notNull(),
    fetchedByRunId: text('fetched_by_run_id').notNull(),
    fetchedAt: integer('fetched_at').notNull(),
  },
  (table) => [
    uniqueIndex('snapshots_address').on(table.sourceId, table.resolvedCommit, table.ref, table.path),
    index('snapshots_source').on(table.sourceId, table.seq),
  ],
);

/** The newest sync of each lane, a lane being (Source, ref, path); a snapshot itself never changes. */
export const sourceLanes = sqliteTable(
  'source_lanes',
  {
    sourceId: text('source_id')
      .notNull()
      .references(() => sources.id),
    ref: text().notNull(),
    path: text().notNull(),
    snapshotId: text('snapshot_id').notNull(),
    syncedAt: integer('synced_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.ref, table.path] })],
);

/** Manifest of a snapshot: the document, which no response contains, or its problems. */
export const snapshotManifests = sqliteTable('snapshot_manifests', {
  snapshotId: text('snapshot_id')
    .primaryKey()
    .references(() => sourceSnapshots.id),
  /** The exact text, so that its digest is that of the snapshot. */
  document: text(),
  modulePaths: exactJson('module_paths').$type<string[]>().notNull(),
  problems: exactJson().$type<ManifestProblem[]>().notNull(),
});

/** Result of the module scan, per tool. Module lists and reports are derived from it. */
export const snapshotScans = sqliteTable(
  'snapshot_scans',
  {
    snapshotId: text('snapshot_id')
      .notNull()
      .references(() => sourceSnapshots.id),
    tool: text().notNull(),
    result: exactJson().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.snapshotId, table.tool] })],
);

export const compatibilityReports = sqliteTable(
  'compatibility_reports',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id').notNull(),
    sourceId: text('source_id').notNull(),
    snapshotId: text('snapshot_id')
      .notNull()
      .references(() => sourceSnapshots.id),
    modulePath: text('module_path').notNull(),
    tool: text().notNull(),
    runId: text('run_id').notNull(),
    report: exactJson().$type<CompatibilityReport>().notNull(),
    /** Facts about the module that generated files depend on; private. */
    rootView: exactJson('root_view').notNull(),
  },
  (table) => [index('reports_module').on(table.snapshotId, table.modulePath, table.seq)],
);
