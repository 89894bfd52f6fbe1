import { sql } from 'drizzle-orm';
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import { type InstallDiagnostic, type InstallPlan, installPhases } from '#shared/install-plans/contract';

/** References to the records that the steps have created so far. */
export type InstallFacts = Partial<
  Pick<
    InstallPlan,
    | 'sourceId'
    | 'sourceSyncRunId'
    | 'sourceSnapshotId'
    | 'installConfigBaseId'
    | 'installConfigBaseDigest'
    | 'installModulePath'
    | 'compatibilityCheckRunId'
    | 'compatibilityReportId'
    | 'installConfigId'
    | 'capsuleId'
    | 'planRunId'
  >
>;
export type PublicRequest = Pick<
  CreateInstallPlan,
  'source' | 'capsule' | 'options' | 'preflight' | 'initialConfiguration' | 'dependencies'
>;

export const installPlans = sqliteTable(
  'install_plans',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    createdBy: text('created_by').notNull(),
    /** Of the Idempotency-Key; install and revision plans share one key space. */
    keyDigest: text('key_digest').notNull(),
    requestDigest: text('request_digest').notNull(),
    request: exactJson().$type<PublicRequest>().notNull(),
    /** Sealed variables; deleted when the Capsule's configuration contains them. */
    variables: blob({ mode: 'buffer' }),
    secretVariables: exactJson('secret_variables').$type<string[]>().notNull(),
    phase: text({ enum: installPhases }).notNull(),
    generation: integer().notNull(),
    facts: exactJson().$type<InstallFacts>().notNull(),
    diagnostic: exactJson().$type<InstallDiagnostic>(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    completedAt: integer('completed_at'),
  },
  (table) => [
    uniqueIndex('install_plans_key').on(table.workspaceId, table.createdBy, table.keyDigest),
    index('install_plans_workspace').on(table.workspaceId, table.seq),
    index('install_plans_untouched').on(table.updatedAt).where(sql`completed_at IS NULL`),
  ],
);
