import { and, asc, gt, inArray, lte, max, min, type SQL, sql } from 'drizzle-orm';
import type { Clock } from './clock.ts';
import type { Db } from './db.ts';
import { outbox } from './schema.ts';

/** Workspace id of events that concern all Workspaces. */
export const everyWorkspace = '*';

/** Number of rows kept for readers that reconnect; a reader with an older position starts over. */
export const storedEvents = 10_000;
const pushesPerTrim = 100;
const rowsPerTrim = 500;

export type OutboxEvent = { seq: number; workspaceId: string; kind: string; recordId: string; status?: string };

export type Outbox = {
  /** Writes an event inside the transaction that it describes; listeners receive it after the commit. */
  push(event: { workspaceId: string; kind: string; recordId: string; status?: string }): void;
  /** Subscribes to all events from now on. Returns the unsubscribe function. */
  listen(listener: (event: OutboxEvent) => void): () => void;
  /** Lists events of one Workspace, and of all Workspaces, after a sequence number, oldest first. */
  list(workspaceId: string, after: number, limit: number): OutboxEvent[];
  /** Lists events whatever their Workspace, as `list` does. */
  listAll(after: number, limit: number): OutboxEvent[];
  /** Returns the sequence numbers of the oldest and the newest stored row; both 0 before the first one. */
  bounds(): { oldest: number; newest: number };
};

export function createOutbox(db: Db, clock: Clock): Outbox {
  const listeners = new Set<(event: OutboxEvent) => void>();
  // The plus makes SQLite scan the sequence, which is short and needs no sort.
  const concerned = inArray(sql`+${outbox.workspaceId}`, [sql.placeholder('workspaceId'), everyWorkspace]);
  const later = gt(outbox.seq, sql.placeholder('after'));
  const pageOf = (filter: SQL | undefined) =>
    db.orm.select().from(outbox).where(filter).orderBy(asc(outbox.seq)).limit(sql.placeholder('limit')).prepare();
  const page = pageOf(and(concerned, later));
  const pageOfAll = pageOf(later);
  // Two queries, because SQLite finds one end of an index without a scan, but not both at once.
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
  const insert = db.orm
    .insert(outbox)
    .values({
      workspaceId: sql.placeholder('workspaceId'),
      kind: sql.placeholder('kind'),
      recordId: sql.placeholder('recordId'),
      status: sql.placeholder('status'),
      createdAt: sql.placeholder('createdAt'),
    })
    .returning({ seq: outbox.seq })
    .prepare();
  const trim = db.orm.delete(outbox).where(inArray(outbox.seq, outdated)).prepare();
  return {
    push(event) {
      const row = insert.get({ ...event, status: event.status ?? null, createdAt: clock.now() });
      if (row.seq % pushesPerTrim === 0) trim.run({ last: row.seq - storedEvents });
      // Called separately, so that a listener that fails does not affect the next.
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
    list: (workspaceId, after, limit) => page.all({ workspaceId, after, limit }).map(eventOf),
    listAll: (after, limit) => pageOfAll.all({ after, limit }).map(eventOf),
  };
}

const eventOf = ({ status, createdAt: _, ...row }: typeof outbox.$inferSelect): OutboxEvent => ({
  ...row,
  ...(status !== null && { status }),
});
