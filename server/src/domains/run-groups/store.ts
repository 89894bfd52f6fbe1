import { and, asc, desc, eq, inArray, lt } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { dependencies } from '#server/domains/dependencies/schema';
import type { Db } from '#server/kernel/db';
import type { CapsuleStatus } from '#shared/capsules/contract';
import type { RunGroupType } from '#shared/run-groups/contract';
import { runGroups } from './schema.ts';

export type GroupRow = typeof runGroups.$inferSelect;
type GroupFilter = { workspaceId: string; type?: RunGroupType | undefined };
export type RunGroupsStore = ReturnType<typeof createRunGroupsStore>;

export const createRunGroupsStore = (db: Db) => ({
  find: (id: string): GroupRow | undefined => db.orm.select().from(runGroups).where(eq(runGroups.id, id)).get(),
  /** Lists groups before a sequence number, newest first. */
  list: ({ workspaceId, type, before, limit }: GroupFilter & { before: number; limit: number }): GroupRow[] =>
    db.orm
      .select()
      .from(runGroups)
      .where(
        and(
          eq(runGroups.workspaceId, workspaceId),
          lt(runGroups.seq, before),
          type === undefined ? undefined : eq(runGroups.type, type),
        ),
      )
      .orderBy(desc(runGroups.seq))
      .limit(limit)
      .all(),
  insert: (row: Omit<GroupRow, 'seq'>): void => void db.orm.insert(runGroups).values(row).run(),
  /** Lists Capsules of a Workspace with one of these statuses, oldest first. */
  listCapsules: (workspaceId: string, statuses: readonly CapsuleStatus[]): { id: string; status: CapsuleStatus }[] =>
    db.orm
      .select({ id: capsules.id, status: capsules.status })
      .from(capsules)
      .where(and(eq(capsules.workspaceId, workspaceId), inArray(capsules.status, [...statuses])))
      .orderBy(asc(capsules.createdAt), asc(capsules.id))
      .all(),
  /** Lists the dependencies between Capsules of a Workspace. */
  listUses: (workspaceId: string): { producerId: string; consumerId: string }[] =>
    db.orm
      .select({ producerId: dependencies.producerCapsuleId, consumerId: dependencies.consumerCapsuleId })
      .from(dependencies)
      .where(eq(dependencies.workspaceId, workspaceId))
      .all(),
});
