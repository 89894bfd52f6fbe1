import { and, eq, isNull, lt, min } from 'drizzle-orm';
import type { IdempotencyKey } from '#server/domains/install-plans/index';
import type { Db } from '#server/kernel/db';
import { revisionPlans } from './schema.ts';

export type RevisionRow = typeof revisionPlans.$inferSelect;
export type RevisionPlansStore = ReturnType<typeof createRevisionPlansStore>;

export const createRevisionPlansStore = ({ orm }: Db) => ({
  find: (id: string): RevisionRow | undefined => orm.select().from(revisionPlans).where(eq(revisionPlans.id, id)).get(),

  findByKey: ({ workspaceId, createdBy, keyDigest }: IdempotencyKey): RevisionRow | undefined =>
    orm
      .select()
      .from(revisionPlans)
      .where(
        and(
          eq(revisionPlans.workspaceId, workspaceId),
          eq(revisionPlans.createdBy, createdBy),
          eq(revisionPlans.keyDigest, keyDigest),
        ),
      )
      .get(),

  insert: (row: Omit<RevisionRow, 'seq'>): void => void orm.insert(revisionPlans).values(row).run(),

  /** Persists a step only if the plan still has the generation that the step started from. */
  move: (id: string, generation: number, set: Partial<RevisionRow>): boolean =>
    orm
      .update(revisionPlans)
      .set({ ...set, generation: generation + 1 })
      .where(and(eq(revisionPlans.id, id), eq(revisionPlans.generation, generation)))
      .run().changes === 1,

  /** Time of the last step of the open plan that has waited longest; undefined when none is open. */
  findOldestStep: (): number | undefined =>
    orm
      .select({ at: min(revisionPlans.updatedAt) })
      .from(revisionPlans)
      .where(isNull(revisionPlans.completedAt))
      .get()?.at ?? undefined,

  /** Open plans whose last step was before this time, oldest first. */
  listUntouchedSince: (at: number, limit: number): RevisionRow[] =>
    orm
      .select()
      .from(revisionPlans)
      .where(and(isNull(revisionPlans.completedAt), lt(revisionPlans.updatedAt, at)))
      .orderBy(revisionPlans.updatedAt)
      .limit(limit)
      .all(),

  /** Updates of a Capsule that have not ended. */
  listOpen: (capsuleId: string): RevisionRow[] =>
    orm
      .select()
      .from(revisionPlans)
      .where(and(eq(revisionPlans.capsuleId, capsuleId), isNull(revisionPlans.completedAt)))
      .all(),
});
