import { and, asc, count, eq, ne, or } from 'drizzle-orm';
import { connections } from '#server/domains/connections/schema';
import { accounts } from '#server/domains/identity/schema';
import { members, workspaces } from '#server/domains/workspaces/schema';
import { isAfter } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { Created } from '#server/kernel/page';

export type InstallationStore = ReturnType<typeof createInstallationStore>;

/** A suspended membership gives no rights, and a revoked Connection no values. */
const hasRights = or(eq(members.status, 'active'), eq(members.status, 'invited'));
const hasValues = ne(connections.status, 'revoked');

/** Reads the members and Connections of every Workspace, oldest first. */
export const createInstallationStore = (db: Pick<Db, 'orm'>) => ({
  countMembers: (): number => db.orm.select({ n: count() }).from(members).where(hasRights).get()?.n ?? 0,
  countConnections: (): number => db.orm.select({ n: count() }).from(connections).where(hasValues).get()?.n ?? 0,

  listMembers: (after: Created, limit: number) =>
    db.orm
      .select({
        id: members.id,
        workspaceId: members.workspaceId,
        workspaceName: workspaces.displayName,
        displayName: accounts.displayName,
        email: accounts.email,
        role: members.role,
        status: members.status,
        createdAt: members.createdAt,
        updatedAt: members.updatedAt,
      })
      .from(members)
      .innerJoin(accounts, eq(accounts.id, members.accountId))
      .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
      .where(and(hasRights, isAfter([members.createdAt, members.id], [after.createdAt, after.id])))
      .orderBy(asc(members.createdAt), asc(members.id))
      .limit(limit)
      .all(),

  listConnections: (after: Created, limit: number) =>
    db.orm
      .select({
        id: connections.id,
        workspaceId: connections.workspaceId,
        workspaceName: workspaces.displayName,
        displayName: connections.displayName,
        provider: connections.provider,
        status: connections.status,
        createdAt: connections.createdAt,
        updatedAt: connections.updatedAt,
        expiresAt: connections.expiresAt,
      })
      .from(connections)
      .leftJoin(workspaces, eq(workspaces.id, connections.workspaceId))
      .where(and(hasValues, isAfter([connections.createdAt, connections.id], [after.createdAt, after.id])))
      .orderBy(asc(connections.createdAt), asc(connections.id))
      .limit(limit)
      .all(),
});
