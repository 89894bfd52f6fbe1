import { and, asc, desc, eq, isNotNull, like, lte, min, ne, sql } from 'drizzle-orm';
import { isAfter, isBefore, mentions } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { TimedCursor } from '#server/kernel/page';
import { capsules } from './schema.ts';

export type CapsuleRow = typeof capsules.$inferSelect;
/** The expected state of a compare-and-set on a Capsule. */
type CapsuleFence = Pick<CapsuleRow, 'status' | 'executionAuthorityEpoch' | 'currentStateGeneration'>;
type CapsuleFilter = TimedCursor & { workspaceId: string; includeDestroyed: boolean; q?: string | undefined };

export type CapsulesStore = ReturnType<typeof createCapsulesStore>;

export function createCapsulesStore(db: Db) {
  return {
    ...capsuleRows(db),
    ...capsuleNames(db),
    ...capsulesOfSources(db),
    ...heldCapsules(db),
  };
}

function capsuleRows(db: Db) {
  const one = db.orm
    .select()
    .from(capsules)
    .where(eq(capsules.id, sql.placeholder('id')))
    .prepare();
  return {
    findCapsule: (id: string): CapsuleRow | undefined => one.get({ id }),
    insertCapsule: (row: CapsuleRow): void => void db.orm.insert(capsules).values(row).run(),
    /** Changes exactly one row, and only while status, epoch and generation are still those the caller read. */
    moveCapsule: (id: string, fence: CapsuleFence, set: Partial<Omit<CapsuleRow, 'id'>>): boolean =>
      db.orm
        .update(capsules)
        .set(set)
        .where(
          and(
            eq(capsules.id, id),
            eq(capsules.status, fence.status),
            eq(capsules.executionAuthorityEpoch, fence.executionAuthorityEpoch),
            eq(capsules.currentStateGeneration, fence.currentStateGeneration),
          ),
        )
        .run().changes === 1,
    listCapsules({ workspaceId, includeDestroyed, q, by, at, id, limit }: CapsuleFilter): CapsuleRow[] {
      const column = by === 'updatedAt' ? capsules.updatedAt : capsules.createdAt;
      const [beyond, order] = by === 'updatedAt' ? [isBefore, desc] : [isAfter, asc];
      return db.orm
        .select()
        .from(capsules)
        .where(
          and(
            eq(capsules.workspaceId, workspaceId),
            beyond([column, capsules.id], [at, id]),
            includeDestroyed ? undefined : ne(capsules.status, 'destroyed'),
            q === undefined ? undefined : mentions(q, { names: [capsules.name], ids: [capsules.id] }),
          ),
        )
        .orderBy(order(column), order(capsules.id))
        .limit(limit)
        .all();
    },
  };
}

/** Names and slugs that Capsules have taken. */
function capsuleNames(db: Db) {
  return {
    findLive: (at: { projectId: string; name: string; environment: string }): CapsuleRow | undefined =>
      db.orm
        .select()
        .from(capsules)
        .where(
          and(
            eq(capsules.projectId, at.projectId),
            eq(capsules.name, at.name),
            eq(capsules.environment, at.environment),
            ne(capsules.status, 'destroyed'),
          ),
        )
        .get(),
    listSlugs: (workspaceId: string, start: string): string[] =>
      db.orm
        .select({ slug: capsules.slug })
        .from(capsules)
        .where(and(eq(capsules.workspaceId, workspaceId), like(capsules.slug, `${start}%`)))
        .all()
        .map(({ slug }) => slug),
    hasLiveSlug: (workspaceId: string, slug: string): boolean =>
      db.orm
        .select({ id: capsules.id })
        .from(capsules)
        .where(and(eq(capsules.workspaceId, workspaceId), eq(capsules.slug, slug), ne(capsules.status, 'destroyed')))
        .limit(1)
        .get() !== undefined,
  };
}

function capsulesOfSources(db: Db) {
  return {
    hasSource: (sourceId: string): boolean =>
      db.orm.select({ id: capsules.id }).from(capsules).where(eq(capsules.sourceId, sourceId)).limit(1).get() !==
      undefined,
    /** Capsules of a Source that were applied at least once and are not destroyed. */
    listOfSource: (sourceId: string): CapsuleRow[] =>
      db.orm
        .select()
        .from(capsules)
        .where(
          and(
            eq(capsules.sourceId, sourceId),
            ne(capsules.status, 'destroyed'),
            isNotNull(capsules.adoptedSourceRevision),
          ),
        )
        .orderBy(asc(capsules.createdAt), asc(capsules.id))
        .all(),
  };
}

function heldCapsules(db: Db) {
  const next = db.orm
    .select({ at: min(capsules.holdUntil) })
    .from(capsules)
    .where(isNotNull(capsules.holdUntil))
    .prepare();
  return {
    findNextHoldEnd: (): number | undefined => next.get()?.at ?? undefined,
    listEndedHolds: (now: number): CapsuleRow[] =>
      db.orm
        .select()
        .from(capsules)
        .where(and(isNotNull(capsules.holdUntil), lte(capsules.holdUntil, now)))
        .orderBy(asc(capsules.holdUntil))
        .all(),
  };
}
