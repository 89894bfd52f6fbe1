import { and, asc, eq, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { autoUpdates } from './schema.ts';

export type UpdateRow = typeof autoUpdates.$inferSelect;
export type UpdatesStore = ReturnType<typeof createUpdatesStore>;

export function createUpdatesStore(db: Db) {
  const isOpen = sql`step <> 'done'`;
  const of = ({ capsuleId, snapshotId }: Pick<UpdateRow, 'capsuleId' | 'snapshotId'>) =>
    and(eq(autoUpdates.capsuleId, capsuleId), eq(autoUpdates.snapshotId, snapshotId));
  const open = db.orm.select().from(autoUpdates).where(isOpen).orderBy(asc(autoUpdates.createdAt)).prepare();
  return {
    listOpen: (): UpdateRow[] => open.all(),
    find: (row: Pick<UpdateRow, 'capsuleId' | 'snapshotId'>): UpdateRow | undefined =>
      db.orm.select().from(autoUpdates).where(of(row)).get(),
    /** Inserts one row per snapshot of a Capsule. Replaces an older row that still waits for its plan. */
    want(row: Pick<UpdateRow, 'capsuleId' | 'snapshotId' | 'createdAt'>): void {
      const inserted = db.orm
        .insert(autoUpdates)
        .values({ ...row, step: 'wanted', runId: null })
        .onConflictDoNothing()
        .run();
      if (inserted.changes === 0) return;
      const others = and(
        eq(autoUpdates.capsuleId, row.capsuleId),
        eq(autoUpdates.step, 'wanted'),
        sql`${autoUpdates.snapshotId} <> ${row.snapshotId}`,
      );
      db.orm.update(autoUpdates).set({ step: 'done' }).where(others).run();
    },
    move: (row: UpdateRow, set: Pick<UpdateRow, 'step'> & { runId?: string }): void =>
      void db.orm.update(autoUpdates).set(set).where(of(row)).run(),
  };
}
