import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { MachineFacts } from '#shared/runner-pools/contract';
import { machineStates } from '#shared/runner-pools/machine';

/** Named sets of runner machines. A removed one stays, because Runs name it. */
export const runnerPools = sqliteTable(
  'runner_pools',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    note: text(),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    removedAt: integer('removed_at'),
  },
  (table) => [
    uniqueIndex('runner_pools_name').on(table.name).where(sql`removed_at IS NULL`),
    index('runner_pools_created').on(table.createdAt, table.id),
  ],
);

/** Machines that were enrolled. */
export const runnerMachines = sqliteTable(
  'runner_machines',
  {
    id: text().primaryKey(),
    poolId: text('pool_id')
      .notNull()
      .references(() => runnerPools.id),
    state: text({ enum: machineStates }).notNull(),
    publicKey: text('public_key').notNull().unique(),
    sealKey: text('seal_key').notNull(),
    facts: exactJson().$type<MachineFacts>().notNull(),
    enrolledAt: integer('enrolled_at').notNull(),
    lastSeenAt: integer('last_seen_at'),
    revokedAt: integer('revoked_at'),
    revokedBy: text('revoked_by'),
  },
  (table) => [
    index('runner_machines_pool').on(table.poolId, table.enrolledAt, table.id),
    index('runner_machines_enrolled').on(table.enrolledAt, table.id),
  ],
);

/** One-time rights to join a pool; the tokens themselves are stored only as SHA-256. */
export const runnerEnrolments = sqliteTable(
  'runner_enrolments',
  {
    id: text().primaryKey(),
    poolId: text('pool_id')
      .notNull()
      .references(() => runnerPools.id),
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    machineId: text('machine_id').references(() => runnerMachines.id),
    cancelledAt: integer('cancelled_at'),
  },
  (table) => [index('runner_enrolments_pool').on(table.poolId, table.createdAt, table.id)],
);

/** Pools that a Workspace may use, or has used. */
export const workspaceRunnerPools = sqliteTable(
  'workspace_runner_pools',
  {
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    poolId: text('pool_id')
      .notNull()
      .references(() => runnerPools.id),
    allowedAt: integer('allowed_at').notNull(),
    /** Set while the pool may not be used any more. */
    withdrawnAt: integer('withdrawn_at'),
    isDefault: integer('is_default', { mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.poolId] }),
    uniqueIndex('workspace_runner_pools_default').on(table.workspaceId).where(sql`is_default = 1`),
    index('workspace_runner_pools_pool').on(table.poolId),
  ],
);
