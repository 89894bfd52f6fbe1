import { and, asc, countDistinct, eq, getTableColumns, isNotNull, isNull, lt, notInArray } from 'drizzle-orm';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';
import { remoteJobs } from './schema.ts';

export type RemoteJobRow = typeof remoteJobs.$inferSelect;
export type RemoteJobsStore = ReturnType<typeof createRemoteJobsStore>;

/** Jobs whose tickets are not void. */
const isOpen = isNull(remoteJobs.voidedAt);

export const createRemoteJobsStore = (db: Db) => ({
  find: (id: string): RemoteJobRow | undefined =>
    db.orm
      .select()
      .from(remoteJobs)
      .where(and(eq(remoteJobs.id, id), isOpen))
      .get(),
  list: (): RemoteJobRow[] => db.orm.select().from(remoteJobs).where(isOpen).orderBy(asc(remoteJobs.id)).all(),
  listOfMachine: (machineId: string): RemoteJobRow[] =>
    db.orm
      .select()
      .from(remoteJobs)
      .where(and(eq(remoteJobs.machineId, machineId), isOpen))
      .orderBy(asc(remoteJobs.id))
      .all(),
  /** Counts the Runs that each machine executes. A Run with several jobs counts once. */
  countRunning: (): Map<string, number> =>
    new Map(
      db.orm
        .select({ machineId: remoteJobs.machineId, n: countDistinct(remoteJobs.runId) })
        .from(remoteJobs)
        .innerJoin(runs, eq(runs.id, remoteJobs.runId))
        .where(and(isOpen, eq(runs.status, 'running')))
        .groupBy(remoteJobs.machineId)
        .all()
        .map(({ machineId, n }) => [machineId, n]),
    ),
  /** Finds a job that was ended without its machine. */
  findVoided: (id: string): RemoteJobRow | undefined =>
    db.orm
      .select()
      .from(remoteJobs)
      .where(and(eq(remoteJobs.id, id), isNotNull(remoteJobs.voidedAt)))
      .get(),
  /** Makes a ticket void, and stores who had it. */
  void: (id: string, ticket: string, voidedAt: number): void =>
    void db.orm
      .update(remoteJobs)
      .set({ voidedAt })
      .where(and(eq(remoteJobs.id, id), eq(remoteJobs.ticket, ticket)))
      .run(),
  /** Deletes jobs that were ended without their machines before a time. */
  removeVoided: (before: number): void => void db.orm.delete(remoteJobs).where(lt(remoteJobs.voidedAt, before)).run(),
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
      .where(and(lt(remoteJobs.claimedAt, before), isOpen, notInArray(runs.status, ['queued', 'running'])))
      .orderBy(asc(remoteJobs.id))
      .all(),
  remove: (id: string, ticket: string): boolean =>
    db.orm
      .delete(remoteJobs)
      .where(and(eq(remoteJobs.id, id), eq(remoteJobs.ticket, ticket)))
      .run().changes === 1,
});
