import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  max,
  notExists,
  type SQL,
  sql,
} from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { mentions } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import { capsuleRunTypes, type RunStatus, type RunType, type SyncTrigger } from '#shared/runs/contract';
import { runs } from './schema.ts';

export type RunRecord = typeof runs.$inferSelect;
export type RunInsert = typeof runs.$inferInsert;
export type RunChanges = Partial<Omit<RunInsert, 'seq' | 'id' | 'status'>>;
/** A subject, `operator` or `system`, and what the system acted on. */
export type RunAsker = { createdBy: string; trigger: SyncTrigger | undefined };
export type RunFilter = {
  workspaceId: string;
  before: number;
  limit: number;
  now: number;
  capsuleId?: string | undefined;
  type?: RunType | undefined;
  status?: readonly RunStatus[] | undefined;
  awaits?: 'approve' | 'apply' | undefined;
  q?: string | undefined;
};
export type RunsStore = ReturnType<typeof createRunsStore>;

const appliable: readonly RunType[] = ['plan', 'destroy_plan'];

/** What is asked again and again of the Runs that have not ended. */
const liveQueries = (db: Db) => ({
  /** How many Runs have not ended, by type and status: as many rows are read as there are of them. */
  countLive: () =>
    db.orm
      .select({ type: runs.type, status: runs.status, n: count() })
      .from(runs)
      .where(inArray(runs.status, ['queued', 'running', 'waiting_approval']))
      .groupBy(runs.status, runs.type)
      .all(),
  /** Since when the oldest queued Run waits. */
  findOldestQueued: (): number | undefined =>
    db.orm
      .select({ createdAt: runs.createdAt })
      .from(runs)
      .where(eq(runs.status, 'queued'))
      .orderBy(asc(runs.seq))
      .limit(1)
      .get()?.createdAt,
});

export function createRunsStore(db: Db) {
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
    .where(eq(runs.capsuleId, sql.placeholder('capsuleId')))
    .orderBy(desc(runs.seq))
    .limit(1)
    .prepare();

  return {
    ...liveQueries(db),
    findRun: (id: string): RunRecord | undefined => one.get({ id }),
    findNewestOfCapsule: (capsuleId: string): RunRecord | undefined => newest.get({ capsuleId }),
    insertRun: (row: RunInsert): void => void db.orm.insert(runs).values(row).run(),

    /** Moves a Run only if it still stands where the caller saw it. */
    moveRun: (id: string, from: RunStatus, set: RunChanges & { status: RunStatus }): boolean =>
      db.orm
        .update(runs)
        .set(set)
        .where(and(eq(runs.id, id), eq(runs.status, from)))
        .run().changes === 1,

    /** Who asked for Runs, by their ids. */
    listAskers: (ids: readonly string[]): [string, RunAsker][] =>
      db.orm
        .select({ id: runs.id, createdBy: runs.createdBy, facts: runs.facts })
        .from(runs)
        .where(inArray(runs.id, [...ids]))
        .all()
        .map(({ id, createdBy, facts }) => [id, { createdBy, trigger: facts.trigger }]),

    updateRun: (id: string, set: RunChanges): void => void db.orm.update(runs).set(set).where(eq(runs.id, id)).run(),
    beatRun: (id: string, at: number): void => void beat.run({ id, at }),

    /** Marks a plan as consumed; false when another apply was first. */
    consumePlan: (id: string, applyRunId: string): boolean =>
      db.orm
        .update(runs)
        .set({ applyRunId })
        .where(and(eq(runs.id, id), isNull(runs.applyRunId)))
        .run().changes === 1,

    /** Plans of a Capsule that nobody consumed and that are not marked yet. */
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

    listRuns(filter: RunFilter): RunRecord[] {
      return db.orm
        .select()
        .from(runs)
        .where(and(...conditionsOf(filter)))
        .orderBy(desc(runs.seq))
        .limit(filter.limit)
        .all();
    },

    listByStatus: (status: RunStatus): RunRecord[] =>
      db.orm.select().from(runs).where(eq(runs.status, status)).orderBy(asc(runs.seq)).all(),

    countQueued: (capsuleId: string): number =>
      db.orm
        .select({ n: count() })
        .from(runs)
        .where(and(eq(runs.capsuleId, capsuleId), eq(runs.status, 'queued')))
        .get()?.n ?? 0,

    /** Each Capsule's last Run of a type, by its place in the ledger. */
    listLastOf: (workspaceId: string, type: RunType): Map<string, number> =>
      new Map(
        db.orm
          .select({ capsuleId: runs.capsuleId, seq: max(runs.seq) })
          .from(runs)
          .where(and(eq(runs.workspaceId, workspaceId), eq(runs.type, type), isNotNull(runs.capsuleId)))
          .groupBy(runs.capsuleId)
          .all()
          .map(({ capsuleId, seq }) => [capsuleId ?? '', seq ?? 0]),
      ),
    /** Is some Run of these types queued or running for the Capsule? */
    findActive: (capsuleId: string, types: readonly RunType[]): RunRecord | undefined =>
      db.orm
        .select()
        .from(runs)
        .where(
          and(
            eq(runs.capsuleId, capsuleId),
            inArray(runs.type, [...types]),
            inArray(runs.status, ['queued', 'running']),
          ),
        )
        .limit(1)
        .get(),

    findActiveSync: (sourceId: string): RunRecord[] =>
      db.orm
        .select()
        .from(runs)
        .where(
          and(eq(runs.sourceId, sourceId), eq(runs.type, 'source_sync'), inArray(runs.status, ['queued', 'running'])),
        )
        .all(),

    /**
     * The oldest queued Run of these types whose Capsule has none running, nor its Source another sync, nor its group an
     * earlier layer under way.
     */
    findClaimable(types: readonly RunType[]): RunRecord | undefined {
      const other = alias(runs, 'other');
      const busy = db.orm
        .select({ one: sql`1` })
        .from(other)
        .where(
          and(
            eq(other.capsuleId, runs.capsuleId),
            eq(other.status, 'running'),
            inArray(other.type, [...capsuleRunTypes]),
          ),
        );
      const sync = alias(runs, 'sync');
      // The plus has the few that run looked up, not the many of one Source.
      const syncing = db.orm
        .select({ one: sql`1` })
        .from(sync)
        .where(
          and(
            eq(sync.status, 'running'),
            eq(sync.type, 'source_sync'),
            eq(runs.type, 'source_sync'),
            eq(sql`+${sync.sourceId}`, runs.sourceId),
          ),
        );
      const member = alias(runs, 'member');
      const earlier = db.orm
        .select({ one: sql`1` })
        .from(member)
        .where(
          and(
            eq(member.runGroupId, runs.runGroupId),
            lt(member.groupLayer, runs.groupLayer),
            inArray(member.status, ['queued', 'running']),
          ),
        );
      return db.orm
        .select()
        .from(runs)
        .where(
          and(
            eq(runs.status, 'queued'),
            inArray(runs.type, [...types]),
            notExists(busy),
            notExists(syncing),
            notExists(earlier),
          ),
        )
        .orderBy(asc(runs.seq))
        .limit(1)
        .get();
    },

    /** Runs of a Capsule that have not begun, or wait for a person. */
    listWaiting: (capsuleId: string): RunRecord[] =>
      db.orm
        .select()
        .from(runs)
        .where(and(eq(runs.capsuleId, capsuleId), inArray(runs.status, ['queued', 'waiting_approval'])))
        .orderBy(asc(runs.seq))
        .all(),

    /** Members of a group in the order in which they may start. */
    listGroup: (runGroupId: string): RunRecord[] =>
      db.orm
        .select()
        .from(runs)
        .where(eq(runs.runGroupId, runGroupId))
        .orderBy(asc(runs.groupLayer), asc(runs.seq))
        .all(),

    listExpired: (now: number): RunRecord[] =>
      db.orm
        .select()
        .from(runs)
        .where(and(eq(runs.status, 'waiting_approval'), lt(runs.planExpiresAt, now)))
        .all(),
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

function conditionsOf({ workspaceId, before, now, ...filter }: RunFilter): (SQL | undefined)[] {
  // A search walks the index that holds what it looks at; the plus keeps it from the one by status.
  const statusColumn = filter.q === undefined ? sql`${runs.status}` : sql`+${runs.status}`;
  return [
    eq(runs.workspaceId, workspaceId),
    lt(runs.seq, before),
    filter.capsuleId === undefined ? undefined : eq(runs.capsuleId, filter.capsuleId),
    filter.type === undefined ? undefined : eq(runs.type, filter.type),
    filter.status === undefined ? undefined : inArray(statusColumn, [...filter.status]),
    filter.awaits === undefined ? undefined : awaiting(filter.awaits, now),
    filter.q === undefined
      ? undefined
      : mentions(filter.q, { names: [runs.capsuleName], ids: [runs.id, runs.capsuleId] }),
  ];
}

function awaiting(what: 'approve' | 'apply', now: number): SQL | undefined {
  const live = and(
    inArray(runs.type, appliable),
    isNull(runs.applyRunId),
    isNull(runs.supersededAt),
    gt(runs.planExpiresAt, now),
  );
  return and(live, eq(runs.status, what === 'approve' ? 'waiting_approval' : 'succeeded'));
}
