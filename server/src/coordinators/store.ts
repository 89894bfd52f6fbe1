import { and, desc, eq, lt } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { InstallPhase } from '#shared/coordinators/contract';
import { installPlans } from './schema.ts';

export type InstallRow = typeof installPlans.$inferSelect;

export const createCoordinatorsStore = (db: Db) => ({
  findPlan: (id: string): InstallRow | undefined =>
    db.orm.select().from(installPlans).where(eq(installPlans.id, id)).get(),
  findByKey: (at: { workspaceId: string; createdBy: string; keyDigest: string }): InstallRow | undefined =>
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
