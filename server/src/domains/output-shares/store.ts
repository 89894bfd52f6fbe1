import { and, asc, eq, or } from 'drizzle-orm';
import { isAfter } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { Created } from '#server/kernel/page';
import type { ShareStatus } from '#shared/output-shares/machine';
import { outputShares } from './schema.ts';

export type ShareRow = typeof outputShares.$inferSelect;
export type OutputSharesStore = ReturnType<typeof createOutputSharesStore>;

export const createOutputSharesStore = (db: Db) => ({
  find: (id: string): ShareRow | undefined => db.orm.select().from(outputShares).where(eq(outputShares.id, id)).get(),
  insert: (row: ShareRow): void => void db.orm.insert(outputShares).values(row).run(),
  /** Changes exactly one row, and only while its status is the one the caller saw. */
  move: (id: string, from: ShareStatus, set: Partial<ShareRow>): boolean =>
    db.orm
      .update(outputShares)
      .set(set)
      .where(and(eq(outputShares.id, id), eq(outputShares.status, from)))
      .run().changes === 1,
  /** Lists the shares of either side, oldest first. */
  listPage: (workspaceId: string, after: Created, limit: number): ShareRow[] =>
    db.orm
      .select()
      .from(outputShares)
      .where(
        and(
          or(eq(outputShares.fromWorkspaceId, workspaceId), eq(outputShares.toWorkspaceId, workspaceId)),
          isAfter([outputShares.createdAt, outputShares.id], [after.createdAt, after.id]),
        ),
      )
      .orderBy(asc(outputShares.createdAt), asc(outputShares.id))
      .limit(limit)
      .all(),
  /** Lists the shares that a Workspace may currently use of a Capsule, oldest first. */
  listActive: (producerCapsuleId: string, toWorkspaceId: string): ShareRow[] =>
    db.orm
      .select()
      .from(outputShares)
      .where(
        and(
          eq(outputShares.producerCapsuleId, producerCapsuleId),
          eq(outputShares.toWorkspaceId, toWorkspaceId),
          eq(outputShares.status, 'active'),
        ),
      )
      .orderBy(asc(outputShares.createdAt), asc(outputShares.id))
      .all(),
});
