import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { sources } from '#server/domains/sources/schema';
import { projects, workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import { type AdoptedSourceRevision, capsuleStatuses } from '#shared/capsules/contract';
import { compatibilityLevels } from '#shared/sources/report';

export const capsules = sqliteTable(
  'capsules',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    name: text().notNull(),
    slug: text().notNull(),
    environment: text().notNull(),
    sourceId: text('source_id')
      .notNull()
      .references(() => sources.id),
    /** References a table of a higher layer, so it is a plain id that the compare-and-set checks. */
    installConfigId: text('install_config_id').notNull(),
    status: text({ enum: capsuleStatuses }).notNull(),
    currentStateVersionId: text('current_state_version_id'),
    currentStateGeneration: integer('current_state_generation').notNull(),
    executionAuthorityEpoch: integer('execution_authority_epoch').notNull(),
    runtimeSafety: text('runtime_safety', { enum: ['safe', 'unknown'] }),
    compatibilityReportId: text('compatibility_report_id'),
    compatibilityStatus: text('compatibility_status', { enum: compatibilityLevels }),
    autoUpdate: integer('auto_update', { mode: 'boolean' }),
    /** Absent: its Runs write only to the Capsule's own folder. */
    writablePaths: exactJson('writable_paths').$type<string[]>(),
    /** Text that people of the Workspace leave for each other; absent when there is none. */
    note: text(),
    /** Set while the Capsule is held; `heldAt` is the column that says so. */
    holdReason: text('hold_reason'),
    /** When the hold ends; absent for one that only a person ends. */
    holdUntil: integer('hold_until'),
    heldBy: text('held_by'),
    heldAt: integer('held_at'),
    /** Absent means that of the Workspace. */
    driftSchedule: text('drift_schedule'),
    /** Absent means the default of the Workspace. Pools belong to a higher layer, so it has no foreign key. */
    runnerPoolId: text('runner_pool_id'),
    /** Sorted; absent when there is none. */
    labels: exactJson().$type<string[]>(),
    /** The status that a Capsule disabled by the operator returns to. */
    disabledFrom: text('disabled_from', { enum: ['active', 'stale', 'error'] }),
    adoptedSourceRevision: exactJson('adopted_source_revision').$type<AdoptedSourceRevision>(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('capsules_name').on(table.projectId, table.name, table.environment).where(sql`status <> 'destroyed'`),
    index('capsules_workspace').on(table.workspaceId, table.createdAt, table.id),
    // Includes the columns that a search reads, because rows in this order are far apart in the file.
    index('capsules_updated').on(table.workspaceId, table.updatedAt, table.id, table.name),
    index('capsules_source').on(table.sourceId),
    index('capsules_hold_until').on(table.holdUntil).where(sql`hold_until IS NOT NULL`),
  ],
);

/** Capsules that an account wants to see first. */
export const capsuleFavorites = sqliteTable(
  'capsule_favorites',
  {
    accountId: text('account_id').notNull(),
    capsuleId: text('capsule_id')
      .notNull()
      .references(() => capsules.id),
    workspaceId: text('workspace_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.capsuleId] }),
    index('capsule_favorites_workspace').on(table.accountId, table.workspaceId, table.createdAt),
  ],
);
