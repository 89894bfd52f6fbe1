import { and, asc, count, eq, gt } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import type { Db } from '#server/kernel/db';
import { restoreStates, restores } from './schema.ts';

export type RestoreRow = typeof restores.$inferSelect;
export type RestoreStateRow = typeof restoreStates.$inferSelect;
export type RestoresStore = ReturnType<typeof createRestoresStore>;

export const createRestoresStore = ({ orm }: Db) => ({
  findRestore: (runId: string): RestoreRow | undefined =>
    orm.select().from(restores).where(eq(restores.runId, runId)).get(),
  insertRestore: (row: RestoreRow): void => void orm.insert(restores).values(row).run(),
  insertState: (row: RestoreStateRow): void => void orm.insert(restoreStates).values(row).run(),
  listStates: (runId: string): RestoreStateRow[] =>
    orm.select().from(restoreStates).where(eq(restoreStates.runId, runId)).orderBy(asc(restoreStates.capsuleId)).all(),
  /** Lists the states with names of their Capsules, in the order of the Capsules' ids. */
  listNamed: (runId: string, limit: number, afterCapsule: string) =>
    orm
      .select({ state: restoreStates, name: capsules.name, environment: capsules.environment })
      .from(restoreStates)
      .innerJoin(capsules, eq(capsules.id, restoreStates.capsuleId))
      .where(and(eq(restoreStates.runId, runId), gt(restoreStates.capsuleId, afterCapsule)))
      .orderBy(asc(restoreStates.capsuleId))
      .limit(limit)
      .all(),
  countStates: (runId: string): number =>
    orm.select({ n: count() }).from(restoreStates).where(eq(restoreStates.runId, runId)).get()?.n ?? 0,
  /** Records the committed StateVersion, and deletes the copy of its state. */
  completeState: (id: string, restoredStateVersionId: string): void =>
    void orm.update(restoreStates).set({ restoredStateVersionId, state: null }).where(eq(restoreStates.id, id)).run(),
  /** Deletes the states of a Run that has ended without committing them. */
  deleteTexts: (runId: string): void =>
    void orm.update(restoreStates).set({ state: null }).where(eq(restoreStates.runId, runId)).run(),
});
