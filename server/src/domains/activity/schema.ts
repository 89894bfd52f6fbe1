import { type SQLWrapper, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { exactJson } from '#server/kernel/schema';

/** The Capsule that a row belongs to, or NULL. Metadata that is not valid JSON was tampered with; the page is still returned. */
const capsuleOf = (table: { targetType: SQLWrapper; targetId: SQLWrapper; metadata: SQLWrapper }) =>
  sql<
    string | null
  >`(CASE WHEN ${table.targetType} = 'capsule' THEN ${table.targetId} WHEN json_valid(${table.metadata}) THEN ${table.metadata} ->> '$.capsuleId' END)`;

/**
 * The append-only trail of all Workspaces and accounts. Triggers refuse UPDATE and DELETE; each row contains the hash of the previous one.
 */
export const auditEvents = sqliteTable(
  'audit_events',
  {
    seq: integer().primaryKey(),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id'),
    actorId: text('actor_id'),
    action: text().notNull(),
    targetType: text('target_type').notNull(),
    targetId: text('target_id').notNull(),
    runId: text('run_id'),
    metadata: exactJson().$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    prevHash: text('prev_hash').notNull(),
    hash: text().notNull(),
  },
  (table) => [
    index('audit_workspace').on(table.workspaceId, table.seq),
    index('audit_actor').on(table.workspaceId, table.actorId, table.seq),
    index('audit_kind').on(table.workspaceId, table.targetType, table.seq),
    index('audit_actor_kind').on(table.workspaceId, table.actorId, table.targetType, table.seq),
    index('audit_capsule').on(table.workspaceId, capsuleOf(table), table.seq),
    index('audit_resource').on(table.targetId, table.seq).where(sql`target_type = 'resource'`),
  ],
);

export const capsuleOfRow = capsuleOf(auditEvents);

/** Sequence and hash of the newest row, under a MAC, so that a truncated tail is detected. One row. */
export const auditHead = sqliteTable('audit_head', {
  one: integer().primaryKey(),
  seq: integer().notNull(),
  hash: text().notNull(),
  mac: text().notNull(),
});
