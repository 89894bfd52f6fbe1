import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Clock } from './clock.ts';
import type { Db } from './db.ts';
import { outbox } from './schema.ts';

export type News = { seq: number; workspaceId: string; kind: string; recordId: string; status?: string };

export type Outbox = {
  /** Writes news inside the transaction that makes it true; listeners hear it after the commit. */
  push(news: { workspaceId: string; kind: string; recordId: string; status?: string }): void;
  /** Hears all news from now on. Returns the way to stop. */
  listen(hear: (news: News) => void): () => void;
  /** News of one Workspace after a sequence number, oldest first. */
  list(workspaceId: string, after: number, limit: number): News[];
};

export function createOutbox(db: Db, clock: Clock): Outbox {
  const listeners = new Set<(news: News) => void>();
  const page = db.orm
    .select()
    .from(outbox)
    .where(and(eq(outbox.workspaceId, sql.placeholder('workspaceId')), gt(outbox.seq, sql.placeholder('after'))))
    .orderBy(asc(outbox.seq))
    .limit(sql.placeholder('limit'))
    .prepare();
  return {
    push(news) {
      const row = db.orm
        .insert(outbox)
        .values({ ...news, createdAt: clock.now() })
        .returning({ seq: outbox.seq })
        .get();
      // One by one, so that a listener that fails does not keep the news from the next.
      for (const hear of listeners) {
        db.afterCommit(() => {
          if (listeners.has(hear)) hear({ ...news, seq: row.seq });
        });
      }
    },
    listen(hear) {
      listeners.add(hear);
      return () => void listeners.delete(hear);
    },
    list: (workspaceId, after, limit) =>
      page
        .all({ workspaceId, after, limit })
        .map(({ status, createdAt: _, ...row }) => ({ ...row, ...(status !== null && { status }) })),
  };
}
