import { and, asc, count, eq, inArray, lt, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Db } from '#server/kernel/db';
import { capsuleRunTypes, type RunType } from '#shared/runs/contract';
import { type RunRecord, runs } from './schema.ts';

/** What is asked again and again of the Runs that have not ended. */
export const createQueueStore = (db: Db) => ({
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

  countQueued: (capsuleId: string): number =>
    db.orm
      .select({ n: count() })
      .from(runs)
      .where(and(eq(runs.capsuleId, capsuleId), eq(runs.status, 'queued')))
      .get()?.n ?? 0,

  /** Is some Run of these types queued or running for the Capsule? */
  findActive: (capsuleId: string, types: readonly RunType[]): RunRecord | undefined =>
    db.orm
      .select()
      .from(runs)
      .where(
        and(eq(runs.capsuleId, capsuleId), inArray(runs.type, [...types]), inArray(runs.status, ['queued', 'running'])),
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

  findClaimable: (types: readonly RunType[]) => findClaimable(db, types),

  /** Runs of a Capsule that have not begun, or wait for a person. */
  listWaiting: (capsuleId: string): RunRecord[] =>
    db.orm
      .select()
      .from(runs)
      .where(and(eq(runs.capsuleId, capsuleId), inArray(runs.status, ['queued', 'waiting_approval'])))
      .orderBy(asc(runs.seq))
      .all(),
});

/**
 * The oldest queued Run of these types whose Capsule has none running, nor its Source another sync, nor its group an
 * earlier layer under way.
 */
function findClaimable(db: Db, types: readonly RunType[]): RunRecord | undefined {
  const other = alias(runs, 'other');
  const busy = db.orm
    .select({ one: sql`1` })
    .from(other)
    .where(
      and(eq(other.capsuleId, runs.capsuleId), eq(other.status, 'running'), inArray(other.type, [...capsuleRunTypes])),
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
}
