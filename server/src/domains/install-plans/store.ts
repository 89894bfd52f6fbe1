import { and, desc, eq, isNull, lt, min } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { InstallPhase } from '#shared/install-plans/contract';
import type { IdempotencyKey } from './plan-record.ts';
import { installPlans } from './schema.ts';

export type InstallRow = typeof installPlans.$inferSelect;
type ListQuery = { workspaceId: string; phase?: InstallPhase | undefined; before: number; limit: number };

export type InstallPlansStore = ReturnType<typeof createInstallPlansStore>;

export const createInstallPlansStore = ({ orm }: Db) => ({
  find: (id: string): InstallRow | undefined => orm.select().from(installPlans).where(eq(installPlans.id, id)).get(),

  findByKey: ({ workspaceId, createdBy, keyDigest }: IdempotencyKey): InstallRow | undefined =>
    orm
      .select()
      .from(installPlans)
      .where(
        and(
          eq(installPlans.workspaceId, workspaceId),
          eq(installPlans.createdBy, createdBy),
          eq(installPlans.keyDigest, keyDigest),
        ),
      )
      .get(),

  insert: (row: Omit<InstallRow, 'seq'>): void => void orm.insert(installPlans).values(row).run(),

  /** Persists a step only if the plan still has the generation that the step started from. */
  move: (id: string, generation: number, set: Partial<InstallRow>): boolean =>
    orm
      .update(installPlans)
      .set({ ...set, generation: generation + 1 })
      .where(and(eq(installPlans.id, id), eq(installPlans.generation, generation)))
      .run().changes === 1,

  /** Time of the last step of the open plan that has waited longest; undefined when none is open. */
  findOldestStep: (): number | undefined =>
    orm
      .select({ at: min(installPlans.updatedAt) })
      .from(installPlans)
      .where(isNull(installPlans.completedAt))
      .get()?.at ?? undefined,

  /** Open plans whose last step was before this time, oldest first. */
  listUntouchedSince: (at: number, limit: number): InstallRow[] =>
    orm
      .select()
      .from(installPlans)
      .where(and(isNull(installPlans.completedAt), lt(installPlans.updatedAt, at)))
      .orderBy(installPlans.updatedAt)
      .limit(limit)
      .all(),

  /** Plans of a Workspace, newest first. */
  listPlans: ({ workspaceId, phase, before, limit }: ListQuery): InstallRow[] =>
    orm
      .select()
      .from(installPlans)
      .where(
        and(
          eq(installPlans.workspaceId, workspaceId),
          lt(installPlans.seq, before),
          phase === undefined ? undefined : eq(installPlans.phase, phase),
        ),
      )
      .orderBy(desc(installPlans.seq))
      .limit(limit)
      .all(),
});
