import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { exactJson } from '#server/kernel/schema';
import {
  type DependencyMode,
  dependencyModes,
  dependencyVisibilities,
  type MappedOutput,
} from '#shared/dependencies/contract';

export const dependencies = sqliteTable(
  'dependencies',
  {
    id: text().primaryKey(),
    /** Id of the consumer. */
    workspaceId: text('workspace_id').notNull(),
    producerCapsuleId: text('producer_capsule_id')
      .notNull()
      .references(() => capsules.id),
    consumerCapsuleId: text('consumer_capsule_id')
      .notNull()
      .references(() => capsules.id),
    mode: text({ enum: dependencyModes }).notNull(),
    outputs: exactJson().$type<Record<string, MappedOutput>>().notNull(),
    visibility: text({ enum: dependencyVisibilities }).notNull(),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('dependencies_consumer').on(table.consumerCapsuleId, table.createdAt, table.id),
    index('dependencies_producer').on(table.producerCapsuleId, table.createdAt, table.id),
    index('dependencies_workspace').on(table.workspaceId, table.createdAt, table.id),
  ],
);

/** Values of one Dependency in a plan, by name only. */
export type UsedDependency = {
  dependencyId: string;
  producerCapsuleId: string;
  mode: DependencyMode;
  stateVersionId: string;
  stateGeneration: number;
  outputs: { from: string; to: string }[];
  /** Shares through which values of another Workspace were read. */
  shareIds: string[];
};

/** Values that a plan received from other Capsules. The plan and its apply use them, whatever happens to the producers later. */
export const dependencySnapshots = sqliteTable('dependency_snapshots', {
  id: text().primaryKey(),
  workspaceId: text('workspace_id').notNull(),
  capsuleId: text('capsule_id').notNull(),
  /** The plan. */
  runId: text('run_id').notNull().unique(),
  used: exactJson().$type<UsedDependency[]>().notNull(),
  /** Digest of names and values together, under a key of the installation. */
  digest: text().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
});
