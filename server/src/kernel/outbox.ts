import { and, asc, gt, inArray, lte, max, min, sql } from 'drizzle-orm';
import type { Clock } from './clock.ts';
import type { Db } from './db.ts';
import { outbox } from './schema.ts';

/** Stands in place of a Workspace in news that concern all of them. */
export const everyWorkspace = '*';

/** How many rows stay for readers that come back; older ones are met with a fresh start. */
export const storedEvents = 10_000;
const pushesPerTrim = 100;
const rowsPerTrim = 500;

export type OutboxEvent = { seq: number; workspaceId: string; kind: string; recordId: string; status?: string };

export type Outbox = {
  /** Writes news inside the transaction that makes it true; listeners hear it after the commit. */
  push(event: { workspaceId: string; kind: string; recordId: string; status?: string }): void;
  /** Hears all news from now on. Returns the way to stop. */
  listen(listener: (event: OutboxEvent) => void): () => void;
  /** News of one Workspace, and of all, after a sequence number, oldest first. */
  list(workspaceId: string, after: number, limit: number): OutboxEvent[];
  /** Sequence numbers of the oldest and the newest row that is kept; both 0 before the first one. */
  bounds(): { oldest: number; newest: number };
};

export function createOutbox(db: Db, clock: Clock): Outbox {
  const listeners = new Set<(event: OutboxEvent) => void>();
  // The plus keeps the walk on the sequence itself: it is short, and needs no sorting.
  const concerned = inArray(sql`+${outbox.workspaceId}`, [sql.placeholder('workspaceId'), everyWorkspace]);
  const page = db.orm
    .select()
    .from(outbox)
    .where(and(concerned, gt(outbox.seq, sql.placeholder('after'))))
    .orderBy(asc(outbox.seq))
    .limit(sql.placeholder('limit'))
    .prepare();
  // Apart, because SQLite looks up one end of an index without walking it, and not both at once.
  const oldest = db.orm
    .select({ seq: min(outbox.seq) })
    .from(outbox)
    .prepare();
  const newest = db.orm
    .select({ seq: max(outbox.seq) })
    .from(outbox)
    .prepare();
  const outdated = db.orm
    .select({ seq: outbox.seq })
    .from(outbox)
    .where(lte(outbox.seq, sql.placeholder('last')))
    .orderBy(asc(outbox.seq))
    .limit(rowsPerTrim);
  const trim = db.orm.delete(outbox).where(inArray(outbox.seq, outdated)).prepare();
  return {
    push(event) {
      const row = db.orm
        .insert(outbox)
        .values({ ...event, createdAt: clock.now() })
        .returning({ seq: outbox.seq })
        .get();
      if (row.seq % pushesPerTrim === 0) trim.run({ last: row.seq - storedEvents });
      // One by one, so that a listener that fails does not keep the news from the next.
      for (const listener of listeners) {
        db.afterCommit(() => {
          if (listeners.has(listener)) listener({ ...event, seq: row.seq });
        });
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    bounds: () => ({ oldest: oldest.get()?.seq ?? 0, newest: newest.get()?.seq ?? 0 }),
    list: (workspaceId, after, limit) =>
      page
        .all({ workspaceId, after, limit })
        .map(({ status, createdAt: _, ...row }) => ({ ...row, ...(status !== null && { status }) })),
  };
}
