import { and, asc, desc, eq, isNull, lte, ne } from 'drizzle-orm';
import { backups } from '#server/domains/backups/schema';
import type { Db } from '#server/kernel/db';
import { backupCopies, backupSchedules } from './schema.ts';

export type ScheduleRow = typeof backupSchedules.$inferSelect;
export type CopyRow = typeof backupCopies.$inferSelect;
export type BackupSchedulesStore = ReturnType<typeof createBackupSchedulesStore>;

export function createBackupSchedulesStore({ orm }: Db) {
  const isOf = (workspaceId: string) => eq(backupSchedules.workspaceId, workspaceId);
  const isOpen = ne(backupCopies.status, 'stored');
  return {
    find: (workspaceId: string): ScheduleRow | undefined =>
      orm.select().from(backupSchedules).where(isOf(workspaceId)).get(),
    save: (row: ScheduleRow): void =>
      void orm
        .insert(backupSchedules)
        .values(row)
        .onConflictDoUpdate({ target: backupSchedules.workspaceId, set: row })
        .run(),
    update: (workspaceId: string, set: Partial<ScheduleRow>): void =>
      void orm.update(backupSchedules).set(set).where(isOf(workspaceId)).run(),
    delete: (workspaceId: string): void => void orm.delete(backupSchedules).where(isOf(workspaceId)).run(),
    listDue: (now: number): ScheduleRow[] =>
      orm.select().from(backupSchedules).where(lte(backupSchedules.dueAt, now)).all(),
    findNextDue: (): number | undefined =>
      orm.select().from(backupSchedules).orderBy(asc(backupSchedules.dueAt)).limit(1).get()?.dueAt,

    insertCopy: (row: CopyRow): void => void orm.insert(backupCopies).values(row).run(),
    updateCopy: (id: string, set: Partial<CopyRow>): void =>
      void orm.update(backupCopies).set(set).where(eq(backupCopies.id, id)).run(),
    deleteCopy: (id: string): void => void orm.delete(backupCopies).where(eq(backupCopies.id, id)).run(),
    findCopy: (id: string): CopyRow | undefined => orm.select().from(backupCopies).where(eq(backupCopies.id, id)).get(),
    /** The copy of a Workspace that is not at its target yet. */
    findOpen: (workspaceId: string): CopyRow | undefined =>
      orm
        .select()
        .from(backupCopies)
        .where(and(eq(backupCopies.workspaceId, workspaceId), isOpen))
        .get(),
    listOpen: (): CopyRow[] => orm.select().from(backupCopies).where(isOpen).orderBy(asc(backupCopies.retryAt)).all(),
    /** Copies at targets, newest first. */
    listStored: (workspaceId: string): CopyRow[] =>
      orm
        .select()
        .from(backupCopies)
        .where(and(eq(backupCopies.workspaceId, workspaceId), eq(backupCopies.status, 'stored')))
        .orderBy(desc(backupCopies.storedAt), desc(backupCopies.id))
        .all(),
    /** Time of the newest backup of the whole Workspace. */
    findLastBackup: (workspaceId: string): number | undefined =>
      orm
        .select({ at: backups.createdAt })
        .from(backups)
        .where(and(eq(backups.workspaceId, workspaceId), isNull(backups.capsuleId)))
        .orderBy(desc(backups.seq))
        .limit(1)
        .get()?.at,
  };
}
