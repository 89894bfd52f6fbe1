import { and, desc, eq, isNull, lt, min } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { InstallPhase } from '#shared/install-plans/contract';
import { installPlans, revisionPlans } from './schema.ts';

export type InstallRow = typeof installPlans.$inferSelect;
export type RevisionRow = typeof revisionPlans.$inferSelect;
type IdempotencyKey = { workspaceId: string; createdBy: string; keyDigest: string };

export type CoordinatorsStore = ReturnType<typeof createCoordinatorsStore>;

/** Queries on the records of all step-by-step plans. */
function planTable<T extends typeof installPlans | typeof revisionPlans>(db: Db, table: T) {
  // Both tables have these columns; only the rows show which of the two it is.
  const plans = table as typeof installPlans;
  type Row = T['$inferSelect'];
  return {
    find: (id: string) => db.orm.select().from(plans).where(eq(plans.id, id)).get() as Row | undefined,
    findByKey: (at: IdempotencyKey) =>
      db.orm
        .select()
        .from(plans)
        .where(
          and(
            eq(plans.workspaceId, at.workspaceId),
            eq(plans.createdBy, at.createdBy),
            eq(plans.keyDigest, at.keyDigest),
          ),
        )
        .get() as Row | undefined,
    insert: (row: Omit<Row, 'seq'>): void =>
      void db.orm
        .insert(plans)
        .values(row as InstallRow)
        .run(),
    /** Time of the last step of the open plan that has waited longest; undefined when none is open. */
    findOldestStep: (): number | undefined =>
      db.orm
        .select({ at: min(plans.updatedAt) })
        .from(plans)
        .where(isNull(plans.completedAt))
        .get()?.at ?? undefined,
    /** Open plans whose last step was before this time, oldest first. */
    listUntouchedSince: (at: number, limit: number): Row[] =>
      db.orm
        .select()
        .from(plans)
        .where(and(isNull(plans.completedAt), lt(plans.updatedAt, at)))
        .orderBy(plans.updatedAt)
        .limit(limit)
        .all() as Row[],
    /** Persists a step only if the plan still has the generation that the step started from. */
    move: (id: string, generation: number, set: Partial<Row>): boolean =>
      db.orm
        .update(plans)
        .set({ ...(set as Partial<InstallRow>), generation: generation + 1 })
        .where(and(eq(plans.id, id), eq(plans.generation, generation)))
        .run().changes === 1,
  };
}

export const createCoordinatorsStore = (db: Db) => ({
  installs: planTable(db, installPlans),
  revisions: planTable(db, revisionPlans),
  /** Updates of a Capsule that have not ended. */
  listOpenRevisions: (capsuleId: string): RevisionRow[] =>
    db.orm
      .select()
      .from(revisionPlans)
      .where(and(eq(revisionPlans.capsuleId, capsuleId), isNull(revisionPlans.completedAt)))
      .all(),
  listPlans: (query: {
    workspaceId: string;
    phase?: InstallPhase | undefined;
    before: number;
    limit: number;
  }): InstallRow[] =>
    db.orm
      .select()
      .from(installPlans)
      .where(
        and(
          eq(installPlans.workspaceId, query.workspaceId),
          lt(installPlans.seq, query.before),
          query.phase === undefined ? undefined : eq(installPlans.phase, query.phase),
        ),
      )
      .orderBy(desc(installPlans.seq))
      .limit(query.limit)
      .all(),
});
