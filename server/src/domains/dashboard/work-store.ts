import { and, desc, eq, inArray, isNull, ne } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { runs } from '#server/domains/runs/schema';
import { members, workspaces } from '#server/domains/workspaces/schema';
import type { Db } from '#server/kernel/db';
import type { RecentCapsule } from '#shared/dashboard/owner-work';
import { capsuleRunTypes, type RunType } from '#shared/runs/contract';

export type OwnerWorkStore = ReturnType<typeof createOwnerWorkStore>;

export const createOwnerWorkStore = ({ orm }: Db) => ({
  /** Lists the Workspaces that an account is an active member of, without archived ones. */
  listMemberships: (accountId: string) =>
    orm
      .select({ workspaceId: workspaces.id, name: workspaces.displayName, role: members.role })
      .from(members)
      .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
      .where(and(eq(members.accountId, accountId), eq(members.status, 'active'), isNull(workspaces.archivedAt)))
      .all(),

  /** Lists the types of the Runs that a tool executes now. */
  listRunning: (workspaceIds: readonly string[]): RunType[] =>
    orm
      .select({ type: runs.type, workspaceId: runs.workspaceId })
      .from(runs)
      .where(and(eq(runs.status, 'running'), inArray(runs.type, [...capsuleRunTypes])))
      .all()
      .filter(({ workspaceId }) => workspaceIds.includes(workspaceId))
      .map(({ type }) => type),

  /** Lists the Capsules of a Workspace that changed last, with the time of the change. */
  listRecent: (workspaceId: string, limit: number): (RecentCapsule & { updatedAt: number })[] =>
    orm
      .select({ id: capsules.id, name: capsules.name, updatedAt: capsules.updatedAt })
      .from(capsules)
      .where(and(eq(capsules.workspaceId, workspaceId), ne(capsules.status, 'destroyed')))
      .orderBy(desc(capsules.updatedAt), desc(capsules.id))
      .limit(limit)
      .all(),
});
