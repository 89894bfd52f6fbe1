import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { Created } from '#server/kernel/page';
import type { Role } from '#shared/permissions';
import { members, projects, workspaces } from './schema.ts';

export type WorkspaceRow = typeof workspaces.$inferSelect;
export type MemberRow = typeof members.$inferSelect;
export type ProjectRow = typeof projects.$inferSelect;

export function createWorkspacesStore(db: Db) {
  const one = db.orm
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, sql.placeholder('id')))
    .prepare();
  const role = db.orm
    .select({ role: members.role })
    .from(members)
    .where(
      and(
        eq(members.workspaceId, sql.placeholder('workspaceId')),
        eq(members.accountId, sql.placeholder('accountId')),
        eq(members.status, 'active'),
      ),
    )
    .prepare();
  return {
    findWorkspace: (id: string): WorkspaceRow | undefined => one.get({ id }),
    findRole: (workspaceId: string, accountId: string): Role | undefined => role.get({ workspaceId, accountId })?.role,
    listOf(accountId: string, limit: number, after: Created): WorkspaceRow[] {
      const mine = and(eq(members.accountId, accountId), eq(members.status, 'active'), isNull(workspaces.archivedAt));
      const later = or(
        gt(workspaces.createdAt, after.createdAt),
        and(eq(workspaces.createdAt, after.createdAt), gt(workspaces.id, after.id)),
      );
      const rows = db.orm
        .select({ workspace: workspaces })
        .from(workspaces)
        .innerJoin(members, eq(members.workspaceId, workspaces.id))
        .where(and(mine, later))
        .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
        .limit(limit)
        .all();
      return rows.map(({ workspace }) => workspace);
    },
    /** Of an archived Workspace too; a suspended membership does not count. */
    hasMembership: (accountId: string): boolean =>
      db.orm
        .select({ id: members.id })
        .from(members)
        .where(and(eq(members.accountId, accountId), eq(members.status, 'active')))
        .limit(1)
        .get() !== undefined,
    insertWorkspace: (row: typeof workspaces.$inferInsert): void => void db.orm.insert(workspaces).values(row).run(),
    insertMember: (row: typeof members.$inferInsert): void => void db.orm.insert(members).values(row).run(),
    listMembers: (workspaceId: string): MemberRow[] =>
      db.orm.select().from(members).where(eq(members.workspaceId, workspaceId)).orderBy(asc(members.createdAt)).all(),
    insertProject: (row: typeof projects.$inferInsert): void => void db.orm.insert(projects).values(row).run(),
    findProject: (id: string): ProjectRow | undefined =>
      db.orm.select().from(projects).where(eq(projects.id, id)).get(),
    listProjects(workspaceId: string, limit: number, after: Created): ProjectRow[] {
      const later = or(
        gt(projects.createdAt, after.createdAt),
        and(eq(projects.createdAt, after.createdAt), gt(projects.id, after.id)),
      );
      return db.orm
        .select()
        .from(projects)
        .where(and(eq(projects.workspaceId, workspaceId), later))
        .orderBy(asc(projects.createdAt), asc(projects.id))
        .limit(limit)
        .all();
    },
  };
}
