import { and, asc, count, desc, eq, gt, inArray, lt, max, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { FeedItem, FeedKind, StoredFeedItem } from '#shared/runs/feed';
import { runFeed } from './schema.ts';

export type FeedStore = ReturnType<typeof createFeedStore>;

export function createFeedStore(db: Db) {
  const last = db.orm
    .select({ seq: max(runFeed.seq) })
    .from(runFeed)
    .where(eq(runFeed.runId, sql.placeholder('runId')))
    .prepare();
  const after = db.orm
    .select({ seq: runFeed.seq, kind: runFeed.kind, at: runFeed.at, payload: runFeed.payload })
    .from(runFeed)
    .where(and(eq(runFeed.runId, sql.placeholder('runId')), gt(runFeed.seq, sql.placeholder('after'))))
    .orderBy(asc(runFeed.seq))
    .limit(sql.placeholder('limit'))
    .prepare();
  const insert = prepareInsert(db);
  const columns = { seq: runFeed.seq, kind: runFeed.kind, at: runFeed.at, payload: runFeed.payload };

  return {
    /**
     * Appends the items with consecutive sequence numbers, in the caller's transaction. Returns the last sequence number.
     */
    append(runId: string, items: readonly FeedItem[]): number {
      let seq = last.get({ runId })?.seq ?? 0;
      for (const item of items) insert.run({ runId, seq: ++seq, ...item });
      return seq;
    },
    listAfter: (runId: string, seq: number, limit: number): StoredFeedItem[] => after.all({ runId, after: seq, limit }),
    listKind: (runId: string, kind: FeedKind, page: { after: number; limit: number }): StoredFeedItem[] =>
      db.orm
        .select(columns)
        .from(runFeed)
        .where(and(eq(runFeed.runId, runId), eq(runFeed.kind, kind), gt(runFeed.seq, page.after)))
        .orderBy(asc(runFeed.seq))
        .limit(page.limit)
        .all(),
    /** Lists the `limit` items before a sequence number, oldest first. */
    listKindBefore: (runId: string, kind: FeedKind, page: { before: number; limit: number }): StoredFeedItem[] =>
      db.orm
        .select(columns)
        .from(runFeed)
        .where(and(eq(runFeed.runId, runId), eq(runFeed.kind, kind), lt(runFeed.seq, page.before)))
        .orderBy(desc(runFeed.seq))
        .limit(page.limit)
        .all()
        .reverse(),
    /** Counts the objects for which an apply completed an action, by action. */
    countCompleted: (runId: string): Map<string, number> =>
      new Map(
        db.orm
          .select({
            action: sql<string>`${runFeed.payload} ->> '$.action'`,
            n: sql<number>`count(DISTINCT ${runFeed.payload} ->> '$.address')`,
          })
          .from(runFeed)
          .where(
            and(
              eq(runFeed.runId, runId),
              eq(runFeed.kind, 'resource'),
              sql`${runFeed.payload} ->> '$.state' = 'completed'`,
            ),
          )
          .groupBy(sql`1`)
          .all()
          .map(({ action, n }) => [action, n]),
      ),
    countKind: (runId: string, kind: FeedKind): number =>
      db.orm
        .select({ n: count() })
        .from(runFeed)
        .where(and(eq(runFeed.runId, runId), inArray(runFeed.kind, [kind])))
        .get()?.n ?? 0,
  };
}

/** Inserts one row, because that takes less time than building a statement for many rows. */
const prepareInsert = (db: Db) =>
  db.orm
    .insert(runFeed)
    .values({
      runId: sql.placeholder('runId'),
      seq: sql.placeholder('seq'),
      kind: sql.placeholder('kind'),
      at: sql.placeholder('at'),
      payload: sql.placeholder('payload'),
    })
    .prepare();
