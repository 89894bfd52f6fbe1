import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lte, notInArray, or, sql } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { runs } from '#server/domains/runs/schema';
import { workspaces } from '#server/domains/workspaces/schema';
import { isBefore } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { DriftStatus } from '#shared/drift/mark';
import { localPool } from '#shared/runs/contract';
import { driftMarks, driftSchedules } from './schema.ts';
import { longestPeriods } from './slots.ts';

export type MarkRow = typeof driftMarks.$inferSelect;
export type ScheduleRow = typeof driftSchedules.$inferSelect;
/** The Capsules whose schedules may have changed; all of them without a member. */
export type ScheduleScope = { capsuleId?: string; workspaceId?: string };
export type DriftStore = ReturnType<typeof createDriftStore>;

export const createDriftStore = (db: Db) => ({ ...markRows(db), ...scheduleRows(db), ...dueRows(db) });

type OpenFilter = {
  workspaceId: string;
  statuses: readonly DriftStatus[] | undefined;
  before: readonly [number, string];
  limit: number;
};

function markRows(db: Db) {
  const one = db.orm
    .select()
    .from(driftMarks)
    .where(eq(driftMarks.capsuleId, sql.placeholder('capsuleId')))
    .prepare();
  return {
    findMark: (capsuleId: string): MarkRow | undefined => one.get({ capsuleId }),
    listMarks: (workspaceId: string): MarkRow[] =>
      db.orm.select().from(driftMarks).where(eq(driftMarks.workspaceId, workspaceId)).all(),
    saveMark: (row: MarkRow): void =>
      void db.orm.insert(driftMarks).values(row).onConflictDoUpdate({ target: driftMarks.capsuleId, set: row }).run(),
    deleteMark: (capsuleId: string): boolean =>
      db.orm.delete(driftMarks).where(eq(driftMarks.capsuleId, capsuleId)).run().changes > 0,
    /** Lists marks with a difference or a failure, newest check first. */
    listOpenMarks: ({ workspaceId, statuses, before, limit }: OpenFilter): MarkRow[] =>
      db.orm
        .select()
        .from(driftMarks)
        .where(
          and(
            eq(driftMarks.workspaceId, workspaceId),
            // The condition of the partial index, as SQLite recognizes it.
            sql`${driftMarks.status} <> 'none'`,
            isBefore([driftMarks.checkedAt, driftMarks.capsuleId], before),
            statuses && inArray(driftMarks.status, [...statuses]),
          ),
        )
        .orderBy(desc(driftMarks.checkedAt), desc(driftMarks.capsuleId))
        .limit(limit)
        .all(),
  };
}

function scheduleRows(db: Db) {
  const isOf = (capsuleId: string) => eq(driftSchedules.capsuleId, capsuleId);
  return {
    insertSchedule: (row: ScheduleRow): void => void db.orm.insert(driftSchedules).values(row).run(),
    updateSchedule: (capsuleId: string, set: Partial<Omit<ScheduleRow, 'capsuleId'>>): void =>
      void db.orm.update(driftSchedules).set(set).where(isOf(capsuleId)).run(),
    deleteSchedule: (capsuleId: string): void => void db.orm.delete(driftSchedules).where(isOf(capsuleId)).run(),

    /** Lists Capsules with their schedule (`off` when destroyed) and its row, where at least one of the two exists. */
    listSchedules(scope: ScheduleScope): { capsuleId: string; schedule: string; row: ScheduleRow | null }[] {
      const schedule = sql<string>`CASE WHEN ${capsules.status} = 'destroyed' THEN 'off'
        ELSE coalesce(${capsules.driftSchedule}, ${workspaces.driftSchedule}, 'off') END`;
      return db.orm
        .select({ capsuleId: capsules.id, schedule, row: driftSchedules })
        .from(capsules)
        .innerJoin(workspaces, eq(workspaces.id, capsules.workspaceId))
        .leftJoin(driftSchedules, eq(driftSchedules.capsuleId, capsules.id))
        .where(
          and(
            scope.capsuleId === undefined ? undefined : eq(capsules.id, scope.capsuleId),
            scope.workspaceId === undefined ? undefined : eq(capsules.workspaceId, scope.workspaceId),
            or(isNotNull(driftSchedules.capsuleId), sql`${schedule} <> 'off'`),
          ),
        )
        .all();
    },
  };
}

function dueRows(db: Db) {
  /** A Run of this Capsule is queued or running. */
  const busy = db.orm
    .select({ capsuleId: runs.capsuleId })
    .from(runs)
    .where(and(inArray(runs.status, ['queued', 'running']), isNotNull(runs.capsuleId)));
  const checkable = and(
    inArray(capsules.status, ['active', 'stale', 'error']),
    isNotNull(capsules.currentStateVersionId),
    isNull(workspaces.archivedAt),
    notInArray(capsules.id, busy),
  );
  const now = sql.placeholder('now');
  const due = db.orm
    .select({ row: driftSchedules })
    .from(driftSchedules)
    .innerJoin(capsules, eq(capsules.id, driftSchedules.capsuleId))
    .innerJoin(workspaces, eq(workspaces.id, capsules.workspaceId))
    .where(and(lte(driftSchedules.dueAt, now), checkable))
    .orderBy(asc(driftSchedules.dueAt), asc(driftSchedules.capsuleId))
    .limit(1)
    .prepare();
  const next = db.orm
    .select({ at: driftSchedules.dueAt })
    .from(driftSchedules)
    .where(gt(driftSchedules.dueAt, now))
    .orderBy(asc(driftSchedules.dueAt))
    .limit(1)
    .prepare();
  const any = db.orm.select({ id: driftSchedules.capsuleId }).from(driftSchedules).limit(1).prepare();
  const beyond = db.orm
    .select()
    .from(driftSchedules)
    .where(gt(driftSchedules.dueAt, sql`${now} + ${sql.raw(String(longestPeriods))} * ${driftSchedules.periodMs}`))
    .prepare();
  const checks = db.orm
    .select({ n: count() })
    .from(runs)
    .where(
      and(
        inArray(runs.status, ['queued', 'running']),
        eq(runs.type, 'drift_check'),
        eq(runs.createdBy, 'system'),
        eq(runs.runnerPool, localPool),
      ),
    )
    .prepare();
  return {
    /** Returns the schedule that is due longest and whose Capsule can be checked now. */
    findDue: (at: number): ScheduleRow | undefined => due.get({ now: at })?.row,
    /** Returns the next time at which a schedule becomes due. */
    findNextDue: (at: number): number | undefined => next.get({ now: at })?.at,
    hasSchedules: (): boolean => any.get() !== undefined,
    /** Lists schedules whose next check is later than any that is set at this time. */
    listBeyond: (at: number): ScheduleRow[] => beyond.all({ now: at }),
    /** Counts the scheduled checks of this machine that have not ended: those of a pool may wait for its machines. */
    countChecks: (): number => checks.get()?.n ?? 0,
  };
}
