import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { capsules } from '#server/domains/capsules/schema';
import { workspaces } from '#server/domains/workspaces/schema';
import { exactJson } from '#server/kernel/schema';
import type { SharedOutput } from '#shared/output-shares/contract';
import { shareStatuses } from '#shared/output-shares/machine';

export const outputShares = sqliteTable(
  'output_shares',
  {
    id: text().primaryKey(),
    fromWorkspaceId: text('from_workspace_id')
      .notNull()
      .references(() => workspaces.id),
    toWorkspaceId: text('to_workspace_id')
      .notNull()
      .references(() => workspaces.id),
    producerCapsuleId: text('producer_capsule_id')
      .notNull()
      .references(() => capsules.id),
    outputs: exactJson().$type<SharedOutput[]>().notNull(),
    /** Reason for sharing sensitive Outputs; null when none are sensitive. */
    sensitiveReason: text('sensitive_reason'),
    status: text({ enum: shareStatuses }).notNull(),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at').notNull(),
    acceptedAt: integer('accepted_at'),
    revokedAt: integer('revoked_at'),
  },
  (table) => [
    index('output_shares_from').on(table.fromWorkspaceId, table.createdAt, table.id),
    index('output_shares_to').on(table.toWorkspaceId, table.createdAt, table.id),
    index('output_shares_of').on(table.producerCapsuleId, table.toWorkspaceId, table.status),
  ],
);
