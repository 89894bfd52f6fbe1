import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { accounts } from '#server/domains/identity/schema';
import { exactJson } from '#server/kernel/schema';
import type { PolicyConfig } from '#shared/workspaces/contract';

export const workspaces = sqliteTable('workspaces', {
  id: text().primaryKey(),
  handle: text().notNull().unique(),
  displayName: text('display_name').notNull(),
  type: text({ enum: ['personal', 'organization'] }).notNull(),
  ownerUserId: text('owner_user_id')
    .notNull()
    .references(() => accounts.id),
  policy: exactJson().$type<PolicyConfig>(),
  /** Absent means `off`. */
  driftSchedule: text('drift_schedule'),
  archivedAt: integer('archived_at'),
  /** Set while the rows of a deleted Workspace are removed; it is hidden from then on. */
  deletedAt: integer('deleted_at'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const members = sqliteTable(
  'members',
  {
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    id: text().notNull().unique(),
    role: text({ enum: ['owner', 'admin', 'member', 'viewer'] }).notNull(),
    status: text({ enum: ['invited', 'active', 'suspended'] }).notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.accountId] }),
    index('members_account').on(table.accountId, table.status),
  ],
);

export const projects = sqliteTable(
  'projects',
  {
    id: text().primaryKey(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    name: text().notNull(),
    slug: text().notNull(),
    projectJson: exactJson('project_json').$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('projects_slug').on(table.workspaceId, table.slug)],
);

/** Links that activate an invited membership. Tokens are stored only as SHA-256. */
export const invitations = sqliteTable(
  'invitations',
  {
    id: text().primaryKey(),
    tokenHash: text('token_hash').notNull().unique(),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => workspaces.id),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    /** The account that invites; null in rows of earlier versions. */
    invitedBy: text('invited_by'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    withdrawnAt: integer('withdrawn_at'),
  },
  (table) => [index('invitations_account').on(table.accountId, table.workspaceId)],
);
