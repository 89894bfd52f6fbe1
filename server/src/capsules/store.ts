import { and, asc, eq, gt, like, ne, or, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { capsules } from './schema.ts';

export type CapsuleRow = typeof capsules.$inferSelect;
/** What a compare-and-set on a Capsule expects to find. */
export type CapsuleFence = Pick<CapsuleRow, 'status' | 'executionAuthorityEpoch' | 'currentStateGeneration'>;

export function createCapsulesStore(db: Db) {
  const one = db.orm
    .select()
    .from(capsules)
    .where(eq(capsules.id, sql.placeholder('id')))
    .prepare();
  return {
    findCapsule: (id: string): CapsuleRow | undefined => one.get({ id }),
    insertCapsule: (row: CapsuleRow): void => void db.orm.insert(capsules).values(row).run(),

    /** Changes exactly one row, and only while status, epoch and generation are still those the caller saw. */
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
    hasSource: (sourceId: string): boolean =>
      db.orm.select({ id: capsules.id }).from(capsules).where(eq(capsules.sourceId, sourceId)).limit(1).get() !==
      undefined,

    listCapsules(ask: {
      workspaceId: string;
      includeDestroyed: boolean;
      limit: number;
      after: { createdAt: number; id: string };
    }): CapsuleRow[] {
      const { createdAt, id } = ask.after;
      const later = or(gt(capsules.createdAt, createdAt), and(eq(capsules.createdAt, createdAt), gt(capsules.id, id)));
      const kept = ask.includeDestroyed ? undefined : ne(capsules.status, 'destroyed');
      return db.orm
        .select()
        .from(capsules)
        .where(and(eq(capsules.workspaceId, ask.workspaceId), later, kept))
        .orderBy(asc(capsules.createdAt), asc(capsules.id))
        .limit(ask.limit)
        .all();
    },
  };
}
