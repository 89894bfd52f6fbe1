import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { mentions } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { FilterOf } from '#server/kernel/page';
import { workspaceFinder } from '#server/kernel/workspace-finder';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { runsApi } from '#shared/runs/api';
import type { RunStatus, RunType, SyncTrigger } from '#shared/runs/contract';
import type { RunInput } from './input.ts';
import { appliable, awaiting, createQueueStore, hasChanges, reviewable, withoutIndex } from './queue-store.ts';
import { type RunRecord, runRecordOf } from './run-record.ts';
import { isNoScheduledCheck, resolvedCommit, runFeed, runs } from './schema.ts';

export type RunInsert = typeof runs.$inferInsert;
export type RunChanges = Partial<Omit<RunInsert, 'seq' | 'id' | 'status' | 'input'>> & { input?: RunInput };
/** Requester of a Run: a subject, `operator` or `system`, and the trigger of the system. */
export type RunRequester = { createdBy: string; trigger: SyncTrigger | undefined };
export type RunFilter = Omit<FilterOf<typeof runsApi.listRuns>, 'view'> & {
  workspaceId: string;
  before: number;
  now: number;
};
export type RunsStore = ReturnType<typeof createRunsStore>;

export function createRunsStore(db: Db) {
  return {
    ...createQueueStore(db),
    ...runRows(db),
    ...planRows(db),
    ...runSequences(db),
    ...runDeletions(db),
  };
}

/** A null input is stored as an empty object. */
const storedChanges = <C extends RunChanges>({ input, ...changes }: C) => ({
  ...changes,
  ...(input !== undefined && { input: input ?? {} }),
});

function runRows(db: Db) {
  const one = db.orm
    .select()
    .from(runs)
    .where(eq(runs.id, sql.placeholder('id')))
    .prepare();
  const beat = db.orm
    .update(runs)
    .set({ heartbeatAt: sql`${sql.placeholder('at')}` })
    .where(eq(runs.id, sql.placeholder('id')))
    .prepare();
  const newest = db.orm
    .select()
    .from(runs)
    .where(and(eq(runs.capsuleId, sql.placeholder('capsuleId')), isNoScheduledCheck, sql`type <> 'backup'`))
    .orderBy(desc(runs.seq))
    .limit(1)
    .prepare();
  return {
    findRun(id: string): RunRecord | undefined {
      const row = one.get({ id });
      return row && runRecordOf(row);
    },
    findWorkspace: workspaceFinder(db, runs),
    /** Returns the newest Run of a Capsule that no schedule has created. A backup would hide a plan that waits. */
    findNewestOfCapsule(capsuleId: string): RunRecord | undefined {
      const row = newest.get({ capsuleId });
      return row && runRecordOf(row);
    },
    /** Returns the account that created the first Run of a Capsule. */
    findFirstCreator: (capsuleId: string): string | undefined =>
      db.orm
        .select({ createdBy: runs.createdBy })
        .from(runs)
        .where(eq(runs.capsuleId, capsuleId))
        .orderBy(asc(runs.seq))
        .limit(1)
        .get()?.createdBy,
    listRuns({ limit, ...filter }: RunFilter & { limit: number }): RunRecord[] {
      const { column, where } = pageBefore(filter, runs.seq);
      return db.orm.select().from(runs).where(where).orderBy(desc(column)).limit(limit).all().map(runRecordOf);
    },
    listByStatus: (status: RunStatus): RunRecord[] =>
      db.orm.select().from(runs).where(eq(runs.status, status)).orderBy(asc(runs.seq)).all().map(runRecordOf),
    /** Returns the requesters of Runs, by Run id. */
    listRequesters: (ids: readonly string[]): [string, RunRequester][] =>
      db.orm
        .select({ id: runs.id, createdBy: runs.createdBy, facts: runs.facts })
        .from(runs)
        .where(inArray(runs.id, [...ids]))
        .all()
        .map(({ id, createdBy, facts }) => [id, { createdBy, trigger: facts.trigger }]),
    /** Inserts a Run at the position of its plan and of its group. */
    insertRun: (row: RunInsert): void =>
      void db.orm
        .insert(runs)
        .values({ ...row, ...positionsOf(row) })
        .run(),
    /** Moves a Run only if its status is still the one that the caller saw. */
    moveRun: (id: string, from: RunStatus, set: RunChanges & { status: RunStatus }): boolean =>
      db.orm
        .update(runs)
        .set(storedChanges(set))
        .where(and(eq(runs.id, id), eq(runs.status, from)))
        .run().changes === 1,
    updateRun: (id: string, set: RunChanges): void =>
      void db.orm.update(runs).set(storedChanges(set)).where(eq(runs.id, id)).run(),
    beatRun: (id: string, at: number): void => void beat.run({ id, at }),
  };
}

/** Plans: whether they may still be applied, and until when. */
function planRows(db: Db) {
  const newerPlan = db.orm
    .select({ id: runs.id })
    .from(runs)
    .where(
      and(
        eq(runs.capsuleId, sql.placeholder('capsuleId')),
        gt(runs.seq, sql.placeholder('seq')),
        reviewable(runs, sql.placeholder('now')),
      ),
    )
    .orderBy(desc(runs.seq))
    .limit(1)
    .prepare();
  return {
    /** Reports whether the Capsule has a reviewable plan with changes. */
    isAwaited: (capsuleId: string, now: number): boolean =>
      db.orm
        .select({ one: sql`1` })
        .from(runs)
        .where(and(eq(runs.capsuleId, capsuleId), reviewable(runs, now), hasChanges(runs)))
        .limit(1)
        .get() !== undefined,
    /** Returns the newest reviewable plan of the same Capsule, when it is newer than this Run. */
    findNewerPlan: ({ capsuleId, seq }: RunRecord, now: number): string | undefined =>
      capsuleId === null ? undefined : newerPlan.get({ capsuleId, seq, now })?.id,
    /** Marks a plan as consumed; returns false when another apply was first. */
    consumePlan: (id: string, applyRunId: string): boolean =>
      db.orm
        .update(runs)
        .set({ applyRunId })
        .where(and(eq(runs.id, id), isNull(runs.applyRunId)))
        .run().changes === 1,
    /** Marks the plans of a Capsule that are neither consumed nor superseded yet. */
    supersedePlans(
      capsuleId: string,
      set: { supersededAt: number; supersededReason: 'authority_epoch' | 'state_generation' },
    ): string[] {
      const open = and(
        eq(runs.capsuleId, capsuleId),
        inArray(runs.type, appliable),
        inArray(runs.status, ['succeeded', 'waiting_approval']),
        isNull(runs.applyRunId),
        isNull(runs.supersededAt),
      );
      return db.orm
        .update(runs)
        .set(set)
        .where(open)
        .returning({ id: runs.id })
        .all()
        .map(({ id }) => id);
    },
    listExpired: (now: number): RunRecord[] =>
      db.orm
        .select()
        .from(runs)
        .where(and(eq(runs.status, 'waiting_approval'), lt(runs.planExpiresAt, now)))
        .all()
        .map(runRecordOf),
    findNextExpiry: (): number | undefined =>
      db.orm
        .select({ at: runs.planExpiresAt })
        .from(runs)
        .where(and(eq(runs.status, 'waiting_approval'), isNotNull(runs.planExpiresAt)))
        .orderBy(asc(runs.planExpiresAt))
        .limit(1)
        .get()?.at ?? undefined,
  };
}

/** Runs of a Workspace or a group in the order of the ledger. */
function runSequences(db: Db) {
  const last = db.orm
    .select({ seq: runs.seq })
    .from(runs)
    .where(and(eq(runs.capsuleId, sql.placeholder('capsuleId')), eq(sql`+${runs.type}`, sql.placeholder('type'))))
    .orderBy(desc(runs.seq))
    .limit(1)
    .prepare();
  return {
    /** Returns the position of each Capsule's last Run of a type in the ledger. */
    listLastOf: (capsuleIds: readonly string[], type: RunType): Map<string, number> =>
      new Map(
        capsuleIds.flatMap((capsuleId) => {
          const found = last.get({ capsuleId, type });
          return found ? [[capsuleId, found.seq]] : [];
        }),
      ),
    /** Lists the members of a group in the order in which they may start. */
    listGroup: (runGroupId: string): RunRecord[] =>
      db.orm
        .select()
        .from(runs)
        .where(eq(runs.runGroupId, runGroupId))
        .orderBy(asc(runs.groupLayer), asc(runs.seq))
        .all()
        .map(runRecordOf),
    /** Lists what identifies the members of groups and their state, each group in the order in which they may start. */
    listMembers: (runGroupIds: readonly string[], now: number) =>
      db.orm
        .select({
          runGroupId: sql<string>`${runs.runGroupId}`,
          id: runs.id,
          capsuleId: runs.capsuleId,
          type: runs.type,
          status: runs.status,
          finishedAt: runs.finishedAt,
          isAwaiting: sql`ifnull(${awaiting(runs, now)}, 0)`.mapWith(Boolean),
        })
        .from(runs)
        .where(inArray(runs.runGroupId, [...runGroupIds]))
        .orderBy(asc(runs.groupLayer), asc(runs.seq))
        .all(),
  };
}

const runDeletions = (db: Db) => ({
  /** Deletes ended Runs with their feeds, in the caller's transaction. */
  deleteRuns(ids: readonly string[]): number {
    db.orm
      .delete(runFeed)
      .where(inArray(runFeed.runId, [...ids]))
      .run();
    return db.orm
      .delete(runs)
      .where(inArray(runs.id, [...ids]))
      .run().changes;
  },
});

const positionsOf = ({ planRunId, runGroupId }: RunInsert) => ({
  ...(planRunId && { planSeq: sql<number>`(SELECT seq FROM runs AS plan WHERE plan.id = ${planRunId})` }),
  ...(runGroupId && {
    groupSeq: sql<number>`(SELECT min(seq) FROM runs AS member WHERE member.run_group_id = ${runGroupId})`,
  }),
});

/**
 * Reports whether few Runs match: those of a commit, and those that wait or have not ended. They have an index, and are sorted after they
 * are found, not read in the order of an index.
 */
const isSelective = ({ awaits, commit, capsuleId, status }: RunFilter): boolean =>
  capsuleId === undefined && (awaits !== undefined || commit !== undefined || (status?.every(isLive) ?? false));

const isLive = (status: RunStatus): boolean => status === 'queued' || status === 'running';

/** Condition and order of a page that starts before a position. */
export function pageBefore(filter: RunFilter, position: SQLiteColumn) {
  const column = isSelective(filter) ? sql<number>`+${position}` : sql<number>`${position}`;
  return { column, where: and(lt(column, filter.before), ...conditionsOf(filter)) };
}

function conditionsOf(filter: RunFilter): (SQL | undefined)[] {
  const { workspaceId, before: _before, now, capsuleId, type, status, awaits, q, ...more } = filter;
  const { createdBy, commit, trigger, ...rest } = more;
  nothingLeft(rest);
  // A search scans the index that contains its columns, so it does not use that of the status.
  const statusColumn = q === undefined ? sql`${runs.status}` : withoutIndex(runs.status);
  return [
    eq(
      commit === undefined && isSelective(filter) ? withoutIndex(runs.workspaceId) : sql`${runs.workspaceId}`,
      workspaceId,
    ),
    capsuleId === undefined ? undefined : eq(runs.capsuleId, capsuleId),
    type === undefined ? undefined : eq(runs.type, type),
    status === undefined ? undefined : inArray(statusColumn, [...status]),
    ...(awaits === undefined
      ? []
      : [awaiting(runs, now), eq(withoutIndex(runs.status), awaits === 'approve' ? 'waiting_approval' : 'succeeded')]),
    createdBy === undefined ? undefined : eq(runs.createdBy, createdBy),
    trigger === undefined ? undefined : eq(runs.cause, trigger),
    ...(commit === undefined ? [] : startsWithHex(resolvedCommit, commit.toLowerCase())),
    q === undefined ? undefined : mentions(q, { names: [runs.capsuleName], ids: [runs.id, runs.capsuleId] }),
  ];
}

/** Matches texts of hexadecimal digits that start with others, in the order of an index: `g` is after all of them. */
const startsWithHex = (column: SQL<string | null>, start: string): SQL[] => [
  sql`${column} >= ${start}`,
  sql`${column} < ${`${start}g`}`,
];
