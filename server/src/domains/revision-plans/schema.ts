import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import { type RevisionDiagnostic, type RevisionPlan, revisionPhases } from '#shared/revision-plans/revision-plan';

/** References to the records that the steps of an update have created so far. */
export type RevisionFacts = Partial<
  Pick<
    RevisionPlan,
    'sourceSyncRunId' | 'sourceSnapshotId' | 'compatibilityCheckRunId' | 'compatibilityReportId' | 'planRunId'
  >
>;

export const revisionPlans = sqliteTable(
  'revision_plans',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    capsuleId: text('capsule_id').notNull(),
    createdBy: text('created_by').notNull(),
    /** Of the Idempotency-Key; install and revision plans share one key space. */
    keyDigest: text('key_digest').notNull(),
    requestDigest: text('request_digest').notNull(),
    /** The request, and the Capsule and its Source as they were at that time. */
    request: exactJson()
      .$type<Pick<RevisionPlan, 'source' | 'capsule' | 'options' | 'revision' | 'sourceId' | 'installModulePath'>>()
      .notNull(),
    phase: text({ enum: revisionPhases }).notNull(),
    generation: integer().notNull(),
    facts: exactJson().$type<RevisionFacts>().notNull(),
    diagnostic: exactJson().$type<RevisionDiagnostic>(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    completedAt: integer('completed_at'),
  },
  (table) => [
    uniqueIndex('revision_plans_key').on(table.workspaceId, table.createdBy, table.keyDigest),
    index('revision_plans_open').on(table.capsuleId).where(sql`completed_at IS NULL`),
    index('revision_plans_untouched').on(table.updatedAt).where(sql`completed_at IS NULL`),
  ],
);
