import { and, asc, desc, eq, getTableColumns, isNotNull, like, lte, min, ne, sql } from 'drizzle-orm';
import { isAfter, isBefore, mentions } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { TimedCursor } from '#server/kernel/page';
import { workspaceFinder } from '#server/kernel/workspace-finder';
import { capsuleFavorites, capsules } from './schema.ts';

export type CapsuleRow = typeof capsules.$inferSelect;
/** The expected state of a compare-and-set on a Capsule. */
type CapsuleFence = Pick<CapsuleRow, 'status' | 'executionAuthorityEpoch' | 'currentStateGeneration'>;
type CapsuleFilter = TimedCursor & {
  workspaceId: string;
  includeDestroyed: boolean;
  q?: string | undefined;
  label?: string | undefined;
  sourceId?: string | undefined;
};

export type CapsulesStore = ReturnType<typeof createCapsulesStore>;

export function createCapsulesStore(db: Db) {
  return {
    ...capsuleRows(db),
    ...capsuleNames(db),
    ...capsulesOfSources(db),
    ...heldCapsules(db),
    ...favoriteRows(db),
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
    findWorkspace: workspaceFinder(db, capsules),
    /** Ids of all Capsules that are not destroyed. */
    listLiveIds: (): string[] =>
      db.orm
        .select({ id: capsules.id })
        .from(capsules)
        .where(ne(capsules.status, 'destroyed'))
        .orderBy(asc(capsules.createdAt), asc(capsules.id))
        .all()
        .map(({ id }) => id),
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
    listCapsules({
      workspaceId,
      includeDestroyed,
      q,
      label,
      sourceId,
      by,
      at,
      id,
      limit,
    }: CapsuleFilter): CapsuleRow[] {
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
            label === undefined ? undefined : hasLabel(label),
            sourceId === undefined ? undefined : eq(capsules.sourceId, sourceId),
            q === undefined ? undefined : mentions(q, { names: [capsules.name], ids: [capsules.id] }),
          ),
        )
        .orderBy(order(column), order(capsules.id))
        .limit(limit)
        .all();
    },
  };
}

const hasLabel = (label: string) =>
  sql`EXISTS (SELECT 1 FROM json_each(${capsules.labels}) AS one WHERE one.value = ${label})`;

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
            ne(capsules.status, 'destroyed').inlineParams(),
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

function favoriteRows(db: Db) {
  const isOf = (accountId: string, workspaceId: string) =>
    and(eq(capsuleFavorites.accountId, accountId), eq(capsuleFavorites.workspaceId, workspaceId));
  const one = (accountId: string, capsuleId: string) =>
    and(eq(capsuleFavorites.accountId, accountId), eq(capsuleFavorites.capsuleId, capsuleId));
  return {
    insertFavorite: (row: typeof capsuleFavorites.$inferInsert): void =>
      void db.orm.insert(capsuleFavorites).values(row).onConflictDoNothing().run(),
    deleteFavorite: (accountId: string, capsuleId: string): void =>
      void db.orm.delete(capsuleFavorites).where(one(accountId, capsuleId)).run(),
    /** Returns the Capsules that are not destroyed. */
    listFavorites: (accountId: string, workspaceId: string): CapsuleRow[] =>
      db.orm
        .select(getTableColumns(capsules))
        .from(capsuleFavorites)
        .innerJoin(capsules, eq(capsules.id, capsuleFavorites.capsuleId))
        .where(and(isOf(accountId, workspaceId), ne(capsules.status, 'destroyed')))
        .orderBy(asc(capsuleFavorites.createdAt), asc(capsules.id))
        .all(),
  };
}
