import { and, asc, eq, getTableColumns, isNull, lt, notInArray } from 'drizzle-orm';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';
import { remoteJobs } from './schema.ts';

export type RemoteJobRow = typeof remoteJobs.$inferSelect;
export type RemoteJobsStore = ReturnType<typeof createRemoteJobsStore>;

export const createRemoteJobsStore = (db: Db) => ({
  find: (id: string): RemoteJobRow | undefined => db.orm.select().from(remoteJobs).where(eq(remoteJobs.id, id)).get(),
  list: (): RemoteJobRow[] => db.orm.select().from(remoteJobs).orderBy(asc(remoteJobs.id)).all(),
  listOfMachine: (machineId: string): RemoteJobRow[] =>
    db.orm.select().from(remoteJobs).where(eq(remoteJobs.machineId, machineId)).orderBy(asc(remoteJobs.id)).all(),
  /** Writes the newest attempt of a job. */
  put(row: RemoteJobRow): void {
    db.orm.insert(remoteJobs).values(row).onConflictDoUpdate({ target: remoteJobs.id, set: row }).run();
  },
  /** Returns false when another attempt has taken its place, or it was permitted before. */
  permit: (id: string, ticket: string, permittedAt: number): boolean =>
    db.orm
      .update(remoteJobs)
      .set({ permittedAt })
      .where(and(eq(remoteJobs.id, id), eq(remoteJobs.ticket, ticket), isNull(remoteJobs.permittedAt)))
      .run().changes === 1,
  /** Lists jobs whose Runs have ended and that were claimed before a time. */
  listOver: (before: number): RemoteJobRow[] =>
    db.orm
      .select(getTableColumns(remoteJobs))
      .from(remoteJobs)
      .innerJoin(runs, eq(runs.id, remoteJobs.runId))
      .where(and(lt(remoteJobs.claimedAt, before), notInArray(runs.status, ['queued', 'running'])))
      .orderBy(asc(remoteJobs.id))
      .all(),
  remove: (id: string, ticket: string): boolean =>
    db.orm
      .delete(remoteJobs)
      .where(and(eq(remoteJobs.id, id), eq(remoteJobs.ticket, ticket)))
      .run().changes === 1,
});
