import { and, asc, eq, isNull, or } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { lifecycleActions } from './schema.ts';

export type ActionRow = typeof lifecycleActions.$inferSelect;
export type ActionKey = Pick<ActionRow, 'runId' | 'position'>;
export type LifecycleStore = ReturnType<typeof createLifecycleStore>;

const at = ({ runId, position }: ActionKey) =>
  and(eq(lifecycleActions.runId, runId), eq(lifecycleActions.position, position));

export const createLifecycleStore = (db: Db) => ({
  find: (key: ActionKey): ActionRow | undefined => db.orm.select().from(lifecycleActions).where(at(key)).get(),
  list: (runId: string): ActionRow[] =>
    db.orm
      .select()
      .from(lifecycleActions)
      .where(eq(lifecycleActions.runId, runId))
      .orderBy(asc(lifecycleActions.position))
      .all(),
  insert: (row: typeof lifecycleActions.$inferInsert): void => void db.orm.insert(lifecycleActions).values(row).run(),
  update: (key: ActionKey, set: Partial<Omit<ActionRow, 'runId' | 'position'>>): void =>
    void db.orm.update(lifecycleActions).set(set).where(at(key)).run(),
  /** Reports whether an action after an apply of the Capsule ever succeeded, or started without a known end. */
  hasTakenEffect: (capsuleId: string, actionId: string): boolean =>
    db.orm
      .select({ position: lifecycleActions.position })
      .from(lifecycleActions)
      .where(
        and(
          eq(lifecycleActions.capsuleId, capsuleId),
          eq(lifecycleActions.actionId, actionId),
          eq(lifecycleActions.phase, 'post_apply'),
          eq(lifecycleActions.invoked, true),
          or(
            eq(lifecycleActions.result, 'succeeded'),
            eq(lifecycleActions.isEndKnown, false),
            isNull(lifecycleActions.result),
          ),
        ),
      )
      .limit(1)
      .get() !== undefined,
});
