import { and, asc, desc, eq, gt, inArray, lte, min, sql } from 'drizzle-orm';
import { planArtifacts } from '#server/domains/plans/schema';
import { stateVersions } from '#server/domains/state-versions/schema';
import type { Db } from '#server/kernel/db';
import { lateMarks, projectionPages, resourceChanges, stateProjections } from './schema.ts';

export type ProjectionRow = typeof stateProjections.$inferSelect;
export type PageRow = typeof projectionPages.$inferSelect;
export type LateMarksRow = typeof lateMarks.$inferSelect;
export type ChangeRow = typeof resourceChanges.$inferSelect;
export type StateResourcesStore = ReturnType<typeof createStateResourcesStore>;

export const createStateResourcesStore = (db: Db) => ({ ...projectionRows(db), ...changeRows(db) });

function projectionRows({ orm }: Db) {
  const isOf = (stateVersionId: string) => eq(stateProjections.stateVersionId, stateVersionId);
  return {
    insertProjection: (row: Omit<ProjectionRow, 'seq'>): void => void orm.insert(stateProjections).values(row).run(),
    findProjection: (stateVersionId: string): ProjectionRow | undefined =>
      orm.select().from(stateProjections).where(isOf(stateVersionId)).get(),
    /** The oldest one, so that each generation is compared with a finished one. */
    findPending: (): ProjectionRow | undefined =>
      orm
        .select()
        .from(stateProjections)
        .where(eq(stateProjections.status, 'pending'))
        .orderBy(asc(stateProjections.seq))
        .limit(1)
        .get(),
    updateProjection: (stateVersionId: string, set: Partial<ProjectionRow>): void =>
      void orm.update(stateProjections).set(set).where(isOf(stateVersionId)).run(),
    findFirstGeneration: (capsuleId: string): number | undefined =>
      orm
        .select({ first: min(stateProjections.generation) })
        .from(stateProjections)
        .where(and(eq(stateProjections.capsuleId, capsuleId), eq(stateProjections.status, 'ready')))
        .get()?.first ?? undefined,
    findIdOfGeneration: (capsuleId: string, generation: number): string | undefined =>
      orm
        .select({ id: stateVersions.id })
        .from(stateVersions)
        .where(and(eq(stateVersions.capsuleId, capsuleId), eq(stateVersions.generation, generation)))
        .get()?.id,
    insertPage: (row: PageRow): void => void orm.insert(projectionPages).values(row).run(),
    findPage: (stateVersionId: string, number: number): PageRow | undefined =>
      orm
        .select()
        .from(projectionPages)
        .where(and(eq(projectionPages.stateVersionId, stateVersionId), eq(projectionPages.number, number)))
        .get(),
    findLateMarks: (capsuleId: string): LateMarksRow | undefined =>
      orm.select().from(lateMarks).where(eq(lateMarks.capsuleId, capsuleId)).get(),
    saveLateMarks: ({ marks, ...row }: LateMarksRow): void =>
      void orm
        .insert(lateMarks)
        .values({ marks, ...row })
        .onConflictDoUpdate({ target: lateMarks.capsuleId, set: { marks } })
        .run(),
    /** The stored document of a plan, as it is compressed. */
    findPlanDocument: (runId: string): Buffer | undefined =>
      orm.select({ document: planArtifacts.document }).from(planArtifacts).where(eq(planArtifacts.runId, runId)).get()
        ?.document,
  };
}

function changeRows({ orm }: Db) {
  const ofCapsule = (capsuleId: string) => eq(resourceChanges.capsuleId, capsuleId);
  // Prepared, because an apply can change thousands of resources.
  const insert = orm
    .insert(resourceChanges)
    .values({
      id: sql.placeholder('id'),
      workspaceId: sql.placeholder('workspaceId'),
      capsuleId: sql.placeholder('capsuleId'),
      generation: sql.placeholder('generation'),
      stateVersionId: sql.placeholder('stateVersionId'),
      addressDigest: sql.placeholder('addressDigest'),
      previousDigest: sql.placeholder('previousDigest'),
      change: sql.placeholder('change'),
      addresses: sql.placeholder('addresses'),
    })
    .prepare();
  return {
    insertChange: (row: ChangeRow): void => void insert.run(row),
    /** Changes at one address, newest first. */
    listChanges: (capsuleId: string, addressDigest: string, upTo: number, limit: number): ChangeRow[] =>
      orm
        .select()
        .from(resourceChanges)
        .where(
          and(
            ofCapsule(capsuleId),
            eq(resourceChanges.addressDigest, addressDigest),
            lte(resourceChanges.generation, upTo),
          ),
        )
        .orderBy(desc(resourceChanges.generation))
        .limit(limit)
        .all(),
    /** The first move away from an address after a generation. */
    findMoveFrom: (capsuleId: string, previousDigest: string, after: number): ChangeRow | undefined =>
      orm
        .select()
        .from(resourceChanges)
        .where(
          and(
            ofCapsule(capsuleId),
            eq(resourceChanges.previousDigest, previousDigest),
            gt(resourceChanges.generation, after),
          ),
        )
        .orderBy(asc(resourceChanges.generation))
        .limit(1)
        .get(),
    /** Moves and replaces between two generations, in their order. */
    listMovesAndReplaces: (capsuleId: string, after: number, upTo: number): ChangeRow[] =>
      orm
        .select()
        .from(resourceChanges)
        .where(
          and(
            ofCapsule(capsuleId),
            inArray(resourceChanges.change, ['moved', 'replaced']),
            gt(resourceChanges.generation, after),
            lte(resourceChanges.generation, upTo),
          ),
        )
        .orderBy(asc(resourceChanges.generation))
        .all(),
  };
}
