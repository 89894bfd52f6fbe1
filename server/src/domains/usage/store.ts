import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { usageEvents } from './schema.ts';

export type UsageRow = typeof usageEvents.$inferSelect;
export type UsageStore = ReturnType<typeof createUsageStore>;

export const createUsageStore = (db: Db) => ({
  /** Inserts a row; does nothing when the key exists. */
  /** Returns false when the same usage was recorded before. */
  insert: (row: Omit<UsageRow, 'seq'>): boolean =>
    db.orm.insert(usageEvents).values(row).onConflictDoNothing({ target: usageEvents.idempotencyKey }).run().changes ===
    1,
  /** Keeps the usage of Runs that are deleted, without them. */
  detachRuns: (runIds: readonly string[]): void =>
    void db.orm
      .update(usageEvents)
      .set({ runId: null })
      .where(inArray(usageEvents.runId, [...runIds]))
      .run(),
  list: (workspaceId: string, limit: number, before: number): UsageRow[] =>
    db.orm
      .select()
      .from(usageEvents)
      .where(and(eq(usageEvents.workspaceId, workspaceId), lt(usageEvents.seq, before)))
      .orderBy(desc(usageEvents.seq))
      .limit(limit)
      .all(),
  sumOf: (capsuleId: string) =>
    db.orm
      .select({
        eventCount: sql<number>`count(*)`,
        ratedEventCount: sql<number>`coalesce(sum(${usageEvents.ratingStatus} = 'rated'), 0)`,
        usdMicros: sql<number>`coalesce(sum(${usageEvents.usdMicros}), 0)`,
      })
      .from(usageEvents)
      .where(eq(usageEvents.capsuleId, capsuleId))
      .get() ?? { eventCount: 0, ratedEventCount: 0, usdMicros: 0 },
});
