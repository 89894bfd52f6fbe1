import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { JsonObject } from '#shared/kernel/json';

/** Resources of the form host. Each has one native object, a file that its `native_id` names. */
export const formResources = sqliteTable(
  'form_resources',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    kind: text().notNull(),
    name: text().notNull(),
    form: exactJson().$type<FormIdentity>().notNull(),
    generation: integer().notNull(),
    /** Desired state. */
    spec: exactJson().$type<JsonObject>().notNull(),
    /** Canonical Output: the state of the native object as last applied, imported or refreshed; null when there was none. */
    outputs: exactJson().$type<JsonObject>(),
    nativeId: text('native_id').notNull().unique(),
    imported: integer({ mode: 'boolean' }).notNull(),
    ready: integer({ mode: 'boolean' }).notNull(),
    driftedFields: exactJson('drifted_fields').$type<string[]>().notNull(),
    /** Time at which the native object was last compared. */
    observedAt: integer('observed_at'),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Account that applied or imported the current generation; null where an older ledger does not tell. */
    updatedBy: text('updated_by'),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('form_resources_name').on(table.workspaceId, table.kind, table.name),
    index('form_resources_workspace').on(table.workspaceId, table.seq),
  ],
);

export const changeOperations = ['apply', 'import', 'observe', 'refresh', 'delete'] as const;
export type ChangeOperation = (typeof changeOperations)[number];

/** Operations by their `Idempotency-Key`. A started one holds everything that is needed to finish it. */
export const formOperations = sqliteTable(
  'form_operations',
  {
    workspaceId: text('workspace_id').notNull(),
    principal: text().notNull(),
    key: text().notNull(),
    /** Digest of everything that the key stands for. */
    identity: text().notNull(),
    operation: text({ enum: changeOperations }).notNull(),
    kind: text().notNull(),
    name: text().notNull(),
    resourceId: text('resource_id').notNull(),
    nativeId: text('native_id').notNull(),
    form: exactJson().$type<FormIdentity>().notNull(),
    /** Generation that the operation changes; 0 when it creates the Resource. */
    base: integer().notNull(),
    /** Desired state of an apply or an import, until it is completed. */
    spec: exactJson().$type<JsonObject>(),
    createdAt: integer('created_at').notNull(),
    /** Null while it is not known whether the native object was changed. */
    completedAt: integer('completed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.principal, table.key] }),
    uniqueIndex('form_operations_started')
      .on(table.workspaceId, table.kind, table.name)
      .where(sql`completed_at IS NULL`),
    index('form_operations_completed').on(table.completedAt),
  ],
);
