import { and, asc, count, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { isAfter, isBefore } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { Created, TimedCursor } from '#server/kernel/page';
import type { Role } from '#shared/permissions';
import { members, projects, workspaces } from './schema.ts';

export type WorkspaceRow = typeof workspaces.$inferSelect;
export type WorkspacesStore = ReturnType<typeof createWorkspacesStore>;
export type ProjectRow = typeof projects.$inferSelect;

/**
 * Filter for an account's Workspaces: all, or the one that its token is bound to; with or without the archived ones.
 */
export type MineFilter = { accountId: string; only?: string | undefined; includeArchived: boolean };

const isMine = ({ accountId, only, includeArchived }: MineFilter) =>
  and(
    eq(members.accountId, accountId),
    eq(members.status, 'active'),
    includeArchived ? undefined : isNull(workspaces.archivedAt),
    only === undefined ? undefined : eq(workspaces.id, only),
  );

export function createWorkspacesStore(db: Db) {
  return {
    ...workspaceRows(db),
    ...memberships(db),
    ...projectRows(db),
  };
}

function workspaceRows(db: Db) {
  const one = db.orm
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.id, sql.placeholder('id')), isNull(workspaces.deletedAt)))
    .prepare();
  const known = db.orm
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.id, sql.placeholder('id')), isNull(workspaces.deletedAt)))
    .prepare();
  return {
    /** Finds a Workspace, also an archived one, unless it was deleted. */
    findWorkspace: (id: string): WorkspaceRow | undefined => one.get({ id }),
    /** Returns the id itself when the Workspace exists. */
    findWorkspaceId: (id: string): string | undefined => known.get({ id })?.id,
    findByHandle: (handle: string): string | undefined =>
      db.orm.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.handle, handle)).get()?.id,
    insertWorkspace: (row: typeof workspaces.$inferInsert): void => void db.orm.insert(workspaces).values(row).run(),
    updateWorkspace: (id: string, set: Partial<WorkspaceRow>): void =>
      void db.orm.update(workspaces).set(set).where(eq(workspaces.id, id)).run(),
  };
}

function memberships(db: Db) {
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
    findRole: (workspaceId: string, accountId: string): Role | undefined => role.get({ workspaceId, accountId })?.role,
    /** Lists the Workspaces that an account is an active member of, in page order. */
    listMine({ by, at, id, limit, ...mine }: MineFilter & TimedCursor): WorkspaceRow[] {
      const time = by === 'updatedAt' ? workspaces.updatedAt : workspaces.createdAt;
      const [beyond, order] = by === 'updatedAt' ? [isBefore, desc] : [isAfter, asc];
      const rows = db.orm
        .select({ workspace: workspaces })
        .from(workspaces)
        .innerJoin(members, eq(members.workspaceId, workspaces.id))
        .where(and(isMine(mine), beyond([time, workspaces.id], [at, id])))
        .orderBy(order(time), order(workspaces.id))
        .limit(limit)
        .all();
      return rows.map(({ workspace }) => workspace);
    },
    findMine: (mine: MineFilter, id: string): WorkspaceRow | undefined =>
      db.orm
        .select({ workspace: workspaces })
        .from(workspaces)
        .innerJoin(members, eq(members.workspaceId, workspaces.id))
        .where(and(isMine(mine), eq(workspaces.id, id)))
        .get()?.workspace,
    countMine: (mine: MineFilter): number =>
      db.orm
        .select({ n: count() })
        .from(workspaces)
        .innerJoin(members, eq(members.workspaceId, workspaces.id))
        .where(isMine(mine))
        .get()?.n ?? 0,
    /**
     * Reports whether an account has an active membership, even of an archived Workspace. A suspended one does not
     * count.
     */
    hasMembership: (accountId: string): boolean =>
      db.orm
        .select({ id: members.id })
        .from(members)
        .where(and(eq(members.accountId, accountId), eq(members.status, 'active')))
        .limit(1)
        .get() !== undefined,
    insertMember: (row: typeof members.$inferInsert): void => void db.orm.insert(members).values(row).run(),
  };
}

function projectRows(db: Db) {
  return {
    hasSlug: (workspaceId: string, slug: string): boolean =>
      db.orm
        .select({ id: projects.id })
        .from(projects)
        .where(and(eq(projects.workspaceId, workspaceId), eq(projects.slug, slug)))
        .get() !== undefined,
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
