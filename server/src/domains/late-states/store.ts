import { and, asc, desc, eq, inArray, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { workspaceFinder } from '#server/kernel/workspace-finder';
import type { LateStatePhase } from '#shared/late-states/contract';
import { lateStates } from './schema.ts';

export type LateStateRow = typeof lateStates.$inferSelect;
type LateStatesPage = {
  capsuleId: string;
  runId: string | undefined;
  phase: readonly LateStatePhase[] | undefined;
  before: number;
  limit: number;
};
export type LateStatesStore = ReturnType<typeof createLateStatesStore>;

export const createLateStatesStore = (db: Db) => ({
  findWorkspace: workspaceFinder(db, lateStates),
  insert: (row: Omit<LateStateRow, 'seq'>): void => void db.orm.insert(lateStates).values(row).run(),
  find: (id: string): LateStateRow | undefined => db.orm.select().from(lateStates).where(eq(lateStates.id, id)).get(),
  listOfRun: (runId: string): LateStateRow[] =>
    db.orm.select().from(lateStates).where(eq(lateStates.runId, runId)).orderBy(asc(lateStates.seq)).all(),
  listPage: ({ capsuleId, runId, phase, before, limit }: LateStatesPage): LateStateRow[] =>
    db.orm
      .select()
      .from(lateStates)
      .where(
        and(
          eq(lateStates.capsuleId, capsuleId),
          runId === undefined ? undefined : eq(lateStates.runId, runId),
          phase && inArray(phaseColumn, [...phase]),
          lt(lateStates.seq, before),
        ),
      )
      .orderBy(desc(lateStates.seq))
      .limit(limit)
      .all(),
  /** Reports whether a state of this apply still waits, or its restore does, which may be cancelled. */
  hasUndecided: (runId: string): boolean =>
    db.orm
      .select({ one: sql`1` })
      .from(lateStates)
      .where(and(eq(lateStates.runId, runId), isNull(lateStates.end)))
      .limit(1)
      .get() !== undefined,
  update: (id: string, set: Partial<Pick<LateStateRow, 'restoreRunId'>>): void =>
    void db.orm.update(lateStates).set(set).where(eq(lateStates.id, id)).run(),
  /** Records the decision about a state, and deletes its content. */
  end: (id: string, end: NonNullable<LateStateRow['end']>): void =>
    void db.orm.update(lateStates).set({ end, state: null }).where(eq(lateStates.id, id)).run(),
  findByRestore: (restoreRunId: string): LateStateRow | undefined =>
    db.orm.select().from(lateStates).where(eq(lateStates.restoreRunId, restoreRunId)).get(),
  findOldestUndecided: (): number | undefined =>
    db.orm
      .select({ arrivedAt: lateStates.arrivedAt })
      .from(lateStates)
      .where(isUndecided)
      .orderBy(asc(lateStates.arrivedAt))
      .limit(1)
      .get()?.arrivedAt,
  listUndecidedSince: (at: number, limit: number): { id: string }[] =>
    db.orm
      .select({ id: lateStates.id })
      .from(lateStates)
      .where(and(isUndecided, lte(lateStates.arrivedAt, at)))
      .orderBy(asc(lateStates.arrivedAt))
      .limit(limit)
      .all(),
});

/** Same as `phaseOf`. */
const phaseColumn = sql`ifnull(${lateStates.end}, iif(${lateStates.restoreRunId} IS NULL, 'waiting', 'requested'))`;

/** No person has decided, and no restore Run of it waits. */
const isUndecided = and(isNull(lateStates.end), isNull(lateStates.restoreRunId));
