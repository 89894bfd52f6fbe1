import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { InstallPhase } from '#shared/coordinators/contract';
import { installPlans, revisionPlans } from './schema.ts';

export type InstallRow = typeof installPlans.$inferSelect;
export type RevisionRow = typeof revisionPlans.$inferSelect;
type KeyPlace = { workspaceId: string; createdBy: string; keyDigest: string };

export type CoordinatorsStore = ReturnType<typeof createCoordinatorsStore>;

export const createCoordinatorsStore = (db: Db) => ({
  findPlan: (id: string): InstallRow | undefined =>
    db.orm.select().from(installPlans).where(eq(installPlans.id, id)).get(),
  findByKey: (at: KeyPlace): InstallRow | undefined =>
    db.orm
      .select()
      .from(installPlans)
      .where(
        and(
          eq(installPlans.workspaceId, at.workspaceId),
          eq(installPlans.createdBy, at.createdBy),
          eq(installPlans.keyDigest, at.keyDigest),
        ),
      )
      .get(),
  insertPlan: (row: Omit<InstallRow, 'seq'>): void => void db.orm.insert(installPlans).values(row).run(),
  /** Persists a step only if the plan still stands at the generation the step was taken from. */
  movePlan: (id: string, generation: number, set: Partial<InstallRow>): boolean =>
    db.orm
      .update(installPlans)
      .set({ ...set, generation: generation + 1 })
      .where(and(eq(installPlans.id, id), eq(installPlans.generation, generation)))
      .run().changes === 1,
  findRevision: (id: string): RevisionRow | undefined =>
    db.orm.select().from(revisionPlans).where(eq(revisionPlans.id, id)).get(),
  findRevisionByKey: (at: KeyPlace): RevisionRow | undefined =>
    db.orm
      .select()
      .from(revisionPlans)
      .where(
        and(
          eq(revisionPlans.workspaceId, at.workspaceId),
          eq(revisionPlans.createdBy, at.createdBy),
          eq(revisionPlans.keyDigest, at.keyDigest),
        ),
      )
      .get(),
  insertRevision: (row: Omit<RevisionRow, 'seq'>): void => void db.orm.insert(revisionPlans).values(row).run(),
  /** Persists a step only if the plan still stands at the generation the step was taken from. */
  moveRevision: (id: string, generation: number, set: Partial<RevisionRow>): boolean =>
    db.orm
      .update(revisionPlans)
      .set({ ...set, generation: generation + 1 })
      .where(and(eq(revisionPlans.id, id), eq(revisionPlans.generation, generation)))
      .run().changes === 1,
  /** Updates of a Capsule that have not come to an end. */
  listOpenRevisions: (capsuleId: string): RevisionRow[] =>
    db.orm
      .select()
      .from(revisionPlans)
      .where(and(eq(revisionPlans.capsuleId, capsuleId), isNull(revisionPlans.completedAt)))
      .all(),
  listPlans: (ask: {
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
          eq(installPlans.workspaceId, ask.workspaceId),
          lt(installPlans.seq, ask.before),
          ask.phase === undefined ? undefined : eq(installPlans.phase, ask.phase),
        ),
      )
      .orderBy(desc(installPlans.seq))
      .limit(ask.limit)
      .all(),
});
