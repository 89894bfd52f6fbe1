import { and, asc, desc, eq, inArray, isNotNull, lte, min } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { materializationIntents } from './schema.ts';

export type IntentRow = typeof materializationIntents.$inferSelect;
export type IntentsStore = ReturnType<typeof createIntentsStore>;

/** Nothing reads the blueprints and items of an intent that has ended. */
export const ended = { dueAt: null, blueprints: [], items: [] } satisfies Partial<IntentRow>;

const isOpenOf = (capsuleId: string) =>
  and(eq(materializationIntents.capsuleId, capsuleId), inArray(materializationIntents.status, ['pending', 'failed']));

export const createIntentsStore = (db: Db) => ({
  find: (id: string): IntentRow | undefined =>
    db.orm.select().from(materializationIntents).where(eq(materializationIntents.id, id)).get(),

  insert: (row: Omit<IntentRow, 'seq'>): void => void db.orm.insert(materializationIntents).values(row).run(),

  /** Lists the intents of a Capsule that are not finished. */
  listOpen: (capsuleId: string): IntentRow[] =>
    db.orm.select().from(materializationIntents).where(isOpenOf(capsuleId)).all(),

  /** Ends the intents of a Capsule that are not finished, and empties them. */
  replaceOpen: (capsuleId: string): void =>
    void db.orm
      .update(materializationIntents)
      .set({ status: 'replaced', ...ended })
      .where(isOpenOf(capsuleId))
      .run(),

  /** Changes exactly one row, and only while it is where the caller read it. */
  update: (
    row: Pick<IntentRow, 'id' | 'status' | 'nextItemIndex' | 'attempts'>,
    set: Partial<Omit<IntentRow, 'id' | 'seq'>>,
  ): boolean =>
    db.orm
      .update(materializationIntents)
      .set(set)
      .where(
        and(
          eq(materializationIntents.id, row.id),
          eq(materializationIntents.status, row.status),
          eq(materializationIntents.nextItemIndex, row.nextItemIndex),
          eq(materializationIntents.attempts, row.attempts),
        ),
      )
      .run().changes === 1,

  /** Returns the time of the next attempt; undefined when nothing waits. */
  findNextDue: (): number | undefined =>
    db.orm
      .select({ at: min(materializationIntents.dueAt) })
      .from(materializationIntents)
      .where(isNotNull(materializationIntents.dueAt))
      .get()?.at ?? undefined,

  listDue: (now: number, limit: number): IntentRow[] =>
    db.orm
      .select()
      .from(materializationIntents)
      .where(and(isNotNull(materializationIntents.dueAt), lte(materializationIntents.dueAt, now)))
      .orderBy(asc(materializationIntents.dueAt))
      .limit(limit)
      .all(),

  /** Lists the failed intents of a Workspace, newest first. */
  listFailed: (workspaceId: string, limit: number): IntentRow[] =>
    db.orm
      .select()
      .from(materializationIntents)
      .where(
        and(
          eq(materializationIntents.workspaceId, workspaceId),
          eq(materializationIntents.status, 'failed').inlineParams(),
        ),
      )
      .orderBy(desc(materializationIntents.seq))
      .limit(limit)
      .all(),
});
