import { and, count, desc, eq, getTableColumns, inArray, lt } from 'drizzle-orm';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';
import { backupKeys, backupRequests, backups } from './schema.ts';

export type BackupRow = typeof backups.$inferSelect;
type KeyRow = typeof backupKeys.$inferSelect;
export type BackupsStore = ReturnType<typeof createBackupsStore>;

export const createBackupsStore = ({ orm }: Db) => ({
  findBackup: (id: string): BackupRow | undefined => orm.select().from(backups).where(eq(backups.id, id)).get(),
  findOfRun: (runId: string): BackupRow | undefined =>
    orm.select().from(backups).where(eq(backups.createdByRunId, runId)).get(),
  insertBackup: (row: Omit<BackupRow, 'seq'>): void => void orm.insert(backups).values(row).run(),
  listBackups: (workspaceId: string, limit: number, before: number): BackupRow[] =>
    orm
      .select()
      .from(backups)
      .where(and(eq(backups.workspaceId, workspaceId), lt(backups.seq, before)))
      .orderBy(desc(backups.seq))
      .limit(limit)
      .all(),
  deleteBackup: (id: string): void => void orm.delete(backups).where(eq(backups.id, id)).run(),
  /** Lists the backups that schedules have made, newest first. */
  listScheduled: (workspaceId: string): BackupRow[] =>
    orm
      .select(getTableColumns(backups))
      .from(backups)
      .innerJoin(runs, eq(runs.id, backups.createdByRunId))
      .where(and(eq(backups.workspaceId, workspaceId), eq(runs.createdBy, 'system')))
      .orderBy(desc(backups.seq))
      .all(),
  listIds: (): string[] =>
    orm
      .select({ id: backups.id })
      .from(backups)
      .all()
      .map(({ id }) => id),

  findKey: (workspaceId: string): KeyRow | undefined =>
    orm.select().from(backupKeys).where(eq(backupKeys.workspaceId, workspaceId)).get(),
  insertKey: (row: KeyRow): void => void orm.insert(backupKeys).values(row).run(),

  findRequest: (keyDigest: string): string | undefined =>
    orm.select().from(backupRequests).where(eq(backupRequests.keyDigest, keyDigest)).get()?.runId,
  saveRequest: (row: typeof backupRequests.$inferSelect): void =>
    void orm
      .insert(backupRequests)
      .values(row)
      .onConflictDoUpdate({ target: backupRequests.keyDigest, set: row })
      .run(),
  deleteRequests: (before: number): void =>
    void orm.delete(backupRequests).where(lt(backupRequests.createdAt, before)).run(),

  /** Counts the backups of a Workspace that are not made yet. */
  countOpen: (workspaceId: string): number =>
    orm
      .select({ n: count() })
      .from(runs)
      .where(
        and(eq(runs.workspaceId, workspaceId), eq(runs.type, 'backup'), inArray(runs.status, ['queued', 'running'])),
      )
      .get()?.n ?? 0,
});
