import { and, asc, count, desc, eq, gt, isNotNull, lt, lte, min, ne, or, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { testEvent } from '#shared/notifications/message';
import type { DeliveryStatus } from '#shared/webhooks/contract';
import { webhookDeliveries, webhooks } from './schema.ts';

export type { StoredAttempt } from './schema.ts';
export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
export type NewDelivery = Omit<typeof webhookDeliveries.$inferInsert, 'seq'>;
type DeliveryFilter = { status?: DeliveryStatus | undefined; event?: DeliveryRow['event'] | undefined };

export type WebhooksStore = ReturnType<typeof createWebhooksStore>;

/** One event adds at most a delivery for each webhook, so there are never more. */
const droppedAtOnce = 100;

const isPending = eq(webhookDeliveries.status, 'pending').inlineParams();

export function createWebhooksStore(db: Pick<Db, 'orm'>) {
  return {
    find: (id: string): WebhookRow | undefined => db.orm.select().from(webhooks).where(eq(webhooks.id, id)).get(),
    listOf: (workspaceId: string): WebhookRow[] =>
      db.orm
        .select()
        .from(webhooks)
        .where(eq(webhooks.workspaceId, workspaceId))
        .orderBy(asc(webhooks.createdAt), asc(webhooks.id))
        .all(),
    insert: (row: WebhookRow): void => void db.orm.insert(webhooks).values(row).run(),
    update: (id: string, set: Partial<WebhookRow>): void =>
      void db.orm.update(webhooks).set(set).where(eq(webhooks.id, id)).run(),
    remove(id: string): void {
      db.orm.delete(webhookDeliveries).where(eq(webhookDeliveries.webhookId, id)).run();
      db.orm.delete(webhooks).where(eq(webhooks.id, id)).run();
    },
    ...createDeliveryRows(db),
    ...createDueRows(db),
  };
}

function createDeliveryRows(db: Pick<Db, 'orm'>) {
  return {
    insertDelivery: (row: NewDelivery): void => void db.orm.insert(webhookDeliveries).values(row).run(),
    findDelivery: (id: string): DeliveryRow | undefined =>
      db.orm.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)).get(),
    updateDelivery: (id: string, set: Partial<DeliveryRow>): void =>
      void db.orm.update(webhookDeliveries).set(set).where(eq(webhookDeliveries.id, id)).run(),
    /** Newest first. */
    listDeliveriesBefore: (
      webhookId: string,
      before: number,
      filter: DeliveryFilter & { limit: number },
    ): DeliveryRow[] =>
      db.orm
        .select()
        .from(webhookDeliveries)
        .where(
          and(
            eq(webhookDeliveries.webhookId, webhookId),
            lt(webhookDeliveries.seq, before),
            filter.status === undefined ? undefined : eq(webhookDeliveries.status, filter.status),
            filter.event === undefined ? undefined : eq(webhookDeliveries.event, filter.event),
          ),
        )
        .orderBy(desc(webhookDeliveries.seq))
        .limit(filter.limit)
        .all(),
    countPending: (webhookId: string): number =>
      db.orm
        .select({ n: count() })
        .from(webhookDeliveries)
        .where(and(eq(webhookDeliveries.webhookId, webhookId), isPending))
        .get()?.n ?? 0,
    /** Oldest waiting deliveries of a Workspace beyond a number of the newest. */
    listPendingBeyond: (workspaceId: string, newest: number): Pick<DeliveryRow, 'id' | 'webhookId'>[] =>
      db.orm
        .select({ id: webhookDeliveries.id, webhookId: webhookDeliveries.webhookId })
        .from(webhookDeliveries)
        .where(and(eq(webhookDeliveries.workspaceId, workspaceId), isPending))
        .orderBy(desc(webhookDeliveries.seq))
        .limit(droppedAtOnce)
        .offset(newest)
        .all(),
    dropPending: (webhookId: string, now: number): void =>
      void db.orm
        .update(webhookDeliveries)
        .set({ status: 'dropped', dueAt: null, finishedAt: now })
        .where(and(eq(webhookDeliveries.webhookId, webhookId), isPending))
        .run(),
    /** Deletes finished deliveries that are old, or behind a number of newer rows. */
    trim(webhookId: string, { newest, before }: { newest: number; before: number }): void {
      const ofWebhook = eq(webhookDeliveries.webhookId, webhookId);
      const cut = db.orm
        .select({ seq: webhookDeliveries.seq })
        .from(webhookDeliveries)
        .where(ofWebhook)
        .orderBy(desc(webhookDeliveries.seq))
        .limit(1)
        .offset(newest - 1)
        .get();
      const isOld = or(lt(webhookDeliveries.createdAt, before), cut && lt(webhookDeliveries.seq, cut.seq));
      db.orm
        .delete(webhookDeliveries)
        .where(and(ofWebhook, ne(webhookDeliveries.status, 'pending'), isOld))
        .run();
    },
  };
}

const isTest = eq(webhookDeliveries.event, testEvent);

function createDueRows(db: Pick<Db, 'orm'>) {
  const pendingOf = (webhookId: string) => and(eq(webhookDeliveries.webhookId, webhookId), isPending);
  return {
    /** Ends every waiting delivery. Returns their number. */
    dropEveryPending(now: number): number {
      db.orm.update(webhooks).set({ dueAt: null }).run();
      return db.orm
        .update(webhookDeliveries)
        .set({ status: 'dropped', dueAt: null, finishedAt: now })
        .where(isPending)
        .run().changes;
    },
    /** Webhooks with a delivery to attempt now; a time further ahead than `latest` was written before the clock was set back. */
    listDue: (now: number, latest: number): WebhookRow[] =>
      db.orm
        .select()
        .from(webhooks)
        .where(and(isNotNull(webhooks.dueAt), or(lte(webhooks.dueAt, now), gt(webhooks.dueAt, latest))))
        .orderBy(asc(webhooks.dueAt))
        .all(),
    findNextDue: (after: number): number | undefined =>
      db.orm
        .select({ at: min(webhooks.dueAt) })
        .from(webhooks)
        .where(gt(webhooks.dueAt, after))
        .get()?.at ?? undefined,
    /** Next delivery of a webhook: a test before the others. */
    findFirst: (webhookId: string, { testsOnly }: { testsOnly: boolean }): DeliveryRow | undefined =>
      db.orm
        .select()
        .from(webhookDeliveries)
        .where(and(pendingOf(webhookId), testsOnly ? isTest : undefined))
        .orderBy(desc(isTest), asc(webhookDeliveries.dueAt), asc(webhookDeliveries.seq))
        .limit(1)
        .get(),
    /** Earliest times of the waiting tests and of the other waiting deliveries. */
    findDueTimes(webhookId: string): { test: number | null; other: number | null } {
      const row = db.orm
        .select({
          test: sql<number | null>`min(CASE WHEN ${isTest} THEN ${webhookDeliveries.dueAt} END)`,
          other: sql<number | null>`min(CASE WHEN NOT ${isTest} THEN ${webhookDeliveries.dueAt} END)`,
        })
        .from(webhookDeliveries)
        .where(pendingOf(webhookId))
        .get();
      return row ?? { test: null, other: null };
    },
  };
}
