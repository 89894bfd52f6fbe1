import { and, asc, count, desc, eq, getTableColumns, gt, gte, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { FilterOf } from '#server/kernel/page';
import type { ActivityAction } from '#shared/activity/actions';
import type { activityApi } from '#shared/activity/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import { auditEvents, auditHead, capsuleOfRow } from './schema.ts';

export type AuditRow = typeof auditEvents.$inferSelect;
/** Filter for a page of the history; the actor `system` matches rows without an actor. */
type AuditFilter = FilterOf<typeof activityApi.listActivity>;
/** Filter for a page of the whole trail; times in ms, `from` inclusive and `to` exclusive. */
export type TrailFilter = {
  workspaceId?: string | undefined;
  action?: string | undefined;
  actorId?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
};
export type CapsuleActions = { workspaceId: string; capsuleId: string; actions: readonly ActivityAction[] };
export type AuditHead = { seq: number; hash: string; mac: string };
/** A row with its metadata as the stored text. */
export type StoredRow = Omit<AuditRow, 'metadata'> & { metadata: string };
export type ActivityStore = ReturnType<typeof createActivityStore>;

/** Rows of the system have no actor. */
const byActor = (actorId: string): SQL =>
  actorId === 'system' ? isNull(auditEvents.actorId) : eq(auditEvents.actorId, actorId);

export function createActivityStore(db: Pick<Db, 'orm'>) {
  const head = db.orm.select().from(auditHead).prepare();
  const page = db.orm
    .select()
    .from(auditEvents)
    .where(
      and(eq(auditEvents.workspaceId, sql.placeholder('workspaceId')), lt(auditEvents.seq, sql.placeholder('before'))),
    )
    .orderBy(desc(auditEvents.seq))
    .limit(sql.placeholder('limit'))
    .prepare();
  const chain = db.orm
    .select({ ...getTableColumns(auditEvents), metadata: sql<string>`${auditEvents.metadata}` })
    .from(auditEvents)
    .where(gt(auditEvents.seq, sql.placeholder('after')))
    .orderBy(asc(auditEvents.seq))
    .limit(sql.placeholder('limit'))
    .prepare();
  return {
    findHead: (): AuditHead | undefined => head.get(),
    append(row: AuditRow, mac: string): void {
      db.orm.insert(auditEvents).values(row).run();
      const values = { one: 1, seq: row.seq, hash: row.hash, mac };
      db.orm.insert(auditHead).values(values).onConflictDoUpdate({ target: auditHead.one, set: values }).run();
    },
    /** Newest first. Each filter, and the combination of the two, has its own index. */
    listBefore(workspaceId: string, before: number, filter: AuditFilter & { limit: number }): AuditRow[] {
      const { limit, capsuleId, actorId, targetType, ...rest } = filter;
      nothingLeft(rest);
      if (capsuleId === undefined && actorId === undefined && targetType === undefined)
        return page.all({ workspaceId, before, limit });
      return db.orm
        .select()
        .from(auditEvents)
        .where(
          and(
            eq(auditEvents.workspaceId, workspaceId),
            lt(auditEvents.seq, before),
            capsuleId === undefined ? undefined : sql`${capsuleOfRow} = ${capsuleId}`,
            actorId === undefined ? undefined : byActor(actorId),
            targetType === undefined ? undefined : eq(auditEvents.targetType, targetType),
          ),
        )
        .orderBy(desc(auditEvents.seq))
        .limit(limit)
        .all();
    },
    /** Rows of all Workspaces and accounts, newest first; with an account filter the trail is scanned until a page is full. */
    listTrail(filter: TrailFilter & { before: number; limit: number }): AuditRow[] {
      const { before, limit, workspaceId, action, actorId, from, to } = filter;
      return db.orm
        .select()
        .from(auditEvents)
        .where(
          and(
            lt(auditEvents.seq, before),
            workspaceId === undefined ? undefined : eq(auditEvents.workspaceId, workspaceId),
            action === undefined ? undefined : eq(auditEvents.action, action),
            actorId === undefined ? undefined : byActor(actorId),
            from === undefined ? undefined : gte(auditEvents.createdAt, from),
            to === undefined ? undefined : lt(auditEvents.createdAt, to),
          ),
        )
        .orderBy(desc(auditEvents.seq))
        .limit(limit)
        .all();
    },
    listStored: (after: number, limit: number): StoredRow[] => chain.all({ after, limit }),
    listHeads: (): AuditHead[] => db.orm.select().from(auditHead).all(),
    ...createResourceRows(db),
    ...createCapsuleRows(db),
    countRows: (): number => db.orm.select({ n: count() }).from(auditEvents).get()?.n ?? 0,
  };
}

const createResourceRows = (db: Pick<Db, 'orm'>) => ({
  /** Newest rows of one Resource of the form host. */
  listOfResource: (resourceId: string, { before, limit }: { before: number; limit: number }): AuditRow[] =>
    db.orm
      .select()
      .from(auditEvents)
      .where(
        and(
          eq(auditEvents.targetId, resourceId),
          sql`${auditEvents.targetType} = 'resource'`,
          lt(auditEvents.seq, before),
        ),
      )
      .orderBy(desc(auditEvents.seq))
      .limit(limit)
      .all(),
});

function createCapsuleRows(db: Pick<Db, 'orm'>) {
  const ofCapsule = (workspaceId: string, capsuleId: string) =>
    and(eq(auditEvents.workspaceId, workspaceId), sql`${capsuleOfRow} = ${capsuleId}`);
  return {
    /** Rows of a Capsule with one of these actions, among its newest rows. */
    listOfCapsule({ workspaceId, capsuleId, actions }: CapsuleActions, most: number): AuditRow[] {
      const newest = db.orm
        .select()
        .from(auditEvents)
        .where(ofCapsule(workspaceId, capsuleId))
        .orderBy(desc(auditEvents.seq))
        .limit(most)
        .as('newest');
      return db.orm
        .select()
        .from(newest)
        .where(inArray(newest.action, [...actions]))
        .all();
    },
    /** The oldest row of a Capsule, which records its creation. */
    findFirstOfCapsule: (workspaceId: string, capsuleId: string): AuditRow | undefined =>
      db.orm
        .select()
        .from(auditEvents)
        .where(ofCapsule(workspaceId, capsuleId))
        .orderBy(asc(auditEvents.seq))
        .limit(1)
        .get(),
  };
}
