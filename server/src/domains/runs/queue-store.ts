import {
  and,
  asc,
  count,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  min,
  ne,
  not,
  notExists,
  or,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import { alias, QueryBuilder, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Db } from '#server/kernel/db';
import { applyTypes, capsuleRunTypes, planTypes, type RunType } from '#shared/runs/contract';
import { isSyncRun, type RunRecord, runRecordOf, type SyncRun } from './run-record.ts';
import { isNoScheduledCheck, isQueued, runs } from './schema.ts';

/** Condition for a queued or running Run. */
const isActive = inArray(runs.status, ['queued', 'running']);

/** Frequent queries over the Runs that have not ended. */
export const createQueueStore = (db: Db) => ({ ...queueCounts(db), ...liveRuns(db), ...claims(db) });

function findOne(db: Db, where: SQL | undefined): RunRecord | undefined {
  const row = db.orm.select().from(runs).where(where).limit(1).get();
  return row && runRecordOf(row);
}

const queueCounts = (db: Db) => ({
  /** Counts the Runs that have not ended, by type and status. Reads one row per such Run. */
  countLive: () =>
    db.orm
      .select({ type: runs.type, status: runs.status, n: count() })
      .from(runs)
      .where(inArray(runs.status, ['queued', 'running', 'waiting_approval']))
      .groupBy(runs.status, runs.type)
      .all(),
  /** Returns the creation time of the oldest queued Run. */
  findOldestQueued: (): number | undefined =>
    db.orm
      .select({ createdAt: runs.createdAt })
      .from(runs)
      .where(eq(runs.status, 'queued'))
      .orderBy(asc(runs.seq))
      .limit(1)
      .get()?.createdAt,

  /** Counts the plans and applies of each pool that wait or run. A pool without any is absent. */
  listPoolQueues: (): Map<string, { waiting: number; oldestWaitingAt: number | undefined; running: number }> =>
    new Map(
      db.orm
        .select({
          pool: runs.runnerPool,
          waiting: sql<number>`sum(${runs.status} = 'queued')`,
          oldestWaitingAt: sql<number | null>`min(CASE WHEN ${runs.status} = 'queued' THEN ${runs.createdAt} END)`,
          running: sql<number>`sum(${runs.status} = 'running')`,
        })
        .from(runs)
        .where(and(isActive, inArray(runs.type, [...planTypes, ...applyTypes])))
        .groupBy(runs.runnerPool)
        .all()
        .map(({ pool, oldestWaitingAt, ...counts }) => [
          pool,
          { ...counts, oldestWaitingAt: oldestWaitingAt ?? undefined },
        ]),
    ),

  /** Counts the queued Runs of a Capsule, without a scheduled check. */
  countQueued: (capsuleId: string): number =>
    db.orm
      .select({ n: count() })
      .from(runs)
      .where(and(eq(runs.capsuleId, capsuleId), eq(runs.status, 'queued'), isNoScheduledCheck))
      .get()?.n ?? 0,
});

const liveRuns = (db: Db) => ({
  /** Returns a Run of these types that is queued or running for the Capsule. */
  findActive: (capsuleId: string, types: readonly RunType[]): RunRecord | undefined =>
    findOne(db, and(eq(runs.capsuleId, capsuleId), inArray(runs.type, [...types]), isActive)),
  /** Returns the same, but no scheduled check, because it gives way. */
  findBlocking: (capsuleId: string, types: readonly RunType[]): RunRecord | undefined =>
    findOne(db, and(eq(runs.capsuleId, capsuleId), inArray(runs.type, [...types]), isActive, isNoScheduledCheck)),
  listScheduledChecks: (capsuleId: string): RunRecord[] =>
    db.orm
      .select()
      .from(runs)
      .where(and(eq(withoutIndex(runs.capsuleId), capsuleId), isActive, not(isNoScheduledCheck)))
      .all()
      .map(runRecordOf),

  findActiveSync: (sourceId: string): SyncRun[] =>
    db.orm
      .select()
      .from(runs)
      .where(
        and(eq(runs.sourceId, sourceId), eq(runs.type, 'source_sync'), inArray(runs.status, ['queued', 'running'])),
      )
      .all()
      .map(runRecordOf)
      .filter(isSyncRun),

  /** Lists Runs of a Capsule that have not started, or wait for a person. */
  listWaiting: (capsuleId: string): RunRecord[] =>
    db.orm
      .select()
      .from(runs)
      .where(and(eq(runs.capsuleId, capsuleId), inArray(runs.status, ['queued', 'waiting_approval'])))
      .orderBy(asc(runs.seq))
      .all()
      .map(runRecordOf),
});

/** Types of Runs that machines of pools execute. */
const pooledTypes: readonly RunType[] = [...planTypes, ...applyTypes];
/** Runs of a pool that are offered at once; the others follow when these have started. */
const offeredPerPool = 200;

/** Runs to claim from: those of some types that a pool executes, or one of them. */
type Claimable = { types: readonly RunType[]; pool: string; id?: string | undefined };

/** Queries of the queue. They are prepared once, because building them takes longer than executing them. */
function claims(db: Db) {
  const claimable = new Map<string, ReturnType<typeof prepareClaimable>>();
  const nextRelease = prepareNextRelease(db);
  function queryOf(types: readonly RunType[]) {
    const key = types.join();
    const query = claimable.get(key) ?? prepareClaimable(db, types);
    claimable.set(key, query);
    return query;
  }
  return {
    /**
     * Returns the oldest queued Run of these types and this pool whose Capsule has none running in any pool, whose Source
     * has no other running sync, and that waits for no other Run of its group. With an id it returns only that Run.
     */
    findClaimable({ types, pool, id }: Claimable, now: number): RunRecord | undefined {
      const row = queryOf(types).get({ now, pool, id: id ?? null, limit: 1 });
      return row && runRecordOf(row);
    },
    /** Lists the Runs of some pools that can be claimed, of each pool the oldest ones. */
    listClaimable: (pools: readonly string[], now: number): RunRecord[] =>
      pools.flatMap((pool) =>
        queryOf(pooledTypes).all({ now, pool, id: null, limit: offeredPerPool }).map(runRecordOf),
      ),
    /** Returns when the next plan that a queued Run waits for can no longer be applied. */
    findNextRelease: (now: number): number | undefined => nextRelease.get({ now })?.at ?? undefined,
  };
}

function prepareNextRelease(db: Db) {
  const waiting = alias(runs, 'waiting');
  const awaited = db.orm
    .select({ id: sql`one.value` })
    .from(sql`${runs} AS ${sql.identifier('waiting')}, json_each(${waiting.input}, '$.waitsFor') AS one`)
    .where(and(eq(waiting.status, 'queued'), isNotNull(waiting.runGroupId)));
  return db.orm
    .select({ at: min(runs.planExpiresAt) })
    .from(runs)
    .where(and(inArray(runs.id, awaited), awaiting(runs, sql.placeholder('now'))))
    .prepare();
}

function prepareClaimable(db: Db, types: readonly RunType[]) {
  const other = alias(runs, 'other');
  const busy = db.orm
    .select({ one: sql`1` })
    .from(other)
    .where(
      and(eq(other.capsuleId, runs.capsuleId), eq(other.status, 'running'), inArray(other.type, [...capsuleRunTypes])),
    );
  const restore = alias(runs, 'restore');
  const sync = alias(runs, 'sync');
  // The unary plus makes SQLite look up the few running Runs instead of the many of one Source.
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
  // A restore of several Capsules excludes the Runs of each, while it runs and when it was queued before them.
  const restoring = db.orm
    .select({ one: sql`1` })
    .from(restore)
    .where(
      and(
        sql`${restore.type} = 'restore' AND ${restore.status} IN ('queued', 'running')`,
        or(eq(restore.status, 'running'), lt(restore.seq, runs.seq)),
        inArray(runs.type, [...capsuleRunTypes]),
        sql`EXISTS (SELECT 1 FROM (${capsulesOf(restore)}) WHERE value IN (${capsulesOf(runs)}))`,
      ),
    );
  const using = alias(runs, 'using');
  const usedByRestore = db.orm
    .select({ one: sql`1` })
    .from(using)
    .where(
      and(
        eq(using.status, 'running'),
        inArray(using.type, [...capsuleRunTypes]),
        sql`${using.capsuleId} IN (${capsulesOf(runs)})`,
      ),
    );
  const awaited = awaitedMember(db, sql.placeholder('now'));
  return db.orm
    .select()
    .from(runs)
    .where(
      and(
        isQueued,
        eq(runs.runnerPool, sql.placeholder('pool')),
        sql`(${sql.placeholder('id')} IS NULL OR ${runs.id} = ${sql.placeholder('id')})`,
        inArray(runs.type, [...types]),
        notExists(busy),
        notExists(restoring),
        or(ne(runs.type, 'restore'), notExists(usedByRestore)),
        notExists(syncing),
        or(isNull(runs.runGroupId), notExists(awaited)),
      ),
    )
    .orderBy(asc(runs.seq))
    .limit(sql.placeholder('limit'))
    .prepare();
}

/** Selects the Capsules whose state a Run may change. */
const capsulesOf = ({ capsuleId, input }: Record<'capsuleId' | 'input', SQLiteColumn>): SQL =>
  sql`SELECT value FROM json_each(${input}, '$.capsuleIds') UNION SELECT ${capsuleId} WHERE ${capsuleId} IS NOT NULL`;

/**
 * Condition for a Run of the same group that has not ended, whose plan may still be applied, or whose apply has not
 * ended.
 */
function awaitedMember(db: Db, now: Placeholder) {
  const member = alias(runs, 'member');
  const apply = alias(runs, 'apply');
  const applying = db.orm
    .select({ one: sql`1` })
    .from(apply)
    .where(and(eq(apply.id, member.applyRunId), inArray(apply.status, ['queued', 'running'])));
  return db.orm
    .select({ one: sql`1` })
    .from(member)
    .where(
      and(
        sql`${member.id} IN (SELECT value FROM json_each(${runs.input}, '$.waitsFor'))`,
        or(inArray(member.status, ['queued', 'running']), awaiting(member, now), exists(applying)),
      ),
    );
}

export const appliable: readonly RunType[] = ['plan', 'destroy_plan'];

type PlanColumns = Record<
  'type' | 'status' | 'applyRunId' | 'supersededAt' | 'planExpiresAt' | 'capsuleId' | 'seq' | 'facts',
  SQLiteColumn
>;

/** A column for which SQLite uses no index: it takes the first one that keeps an order, and reads all Runs. */
export const withoutIndex = (column: SQLiteColumn): SQL => sql`+${column}`;

/** Condition for a plan that is computed, and is not consumed, superseded or expired. */
export const reviewable = (table: PlanColumns, now: number | Placeholder): SQL | undefined =>
  and(
    inArray(table.type, appliable),
    isNull(table.applyRunId),
    isNull(table.supersededAt),
    gt(table.planExpiresAt, now),
    inArray(withoutIndex(table.status), ['succeeded', 'waiting_approval']),
  );

export const hasChanges = (table: PlanColumns): SQL => sql`ifnull(${table.facts} ->> '$.hasChanges', 1) = 1`;

/**
 * Condition for a reviewable plan with changes that is the newest of its Capsule: it waits for an approval or an apply.
 */
export function awaiting(table: PlanColumns, now: number | Placeholder): SQL | undefined {
  const newer = alias(runs, 'newer');
  const obsoleting = new QueryBuilder()
    .select({ one: sql`1` })
    .from(newer)
    .where(and(eq(newer.capsuleId, table.capsuleId), gt(newer.seq, table.seq), reviewable(newer, now)));
  return and(reviewable(table, now), hasChanges(table), notExists(obsoleting));
}
