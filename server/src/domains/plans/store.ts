import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, lt, or, sql } from 'drizzle-orm';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import { type PlanDocument, type PlanPage, parsePlanDocument } from '#shared/plans/document';
import { planArtifacts, planDigests } from './schema.ts';

const { document: _document, ...sealColumns } = getTableColumns(planArtifacts);

/** The seal without the document, which can be large. */
export type PlanSeal = Omit<typeof planArtifacts.$inferSelect, 'document'>;
export type PlansStore = ReturnType<typeof createPlansStore>;

export const createPlansStore = (db: Db) => ({
  insertArtifact: (seal: PlanSeal, document: PlanDocument): void =>
    void db.orm
      .insert(planArtifacts)
      .values({ ...seal, document: deflateRawSync(JSON.stringify(document)) })
      .run(),
  /** Deletes the documents, seals and digests of plans. Returns the number of plans. */
  deleteArtifacts(runIds: readonly string[]): number {
    db.orm
      .delete(planDigests)
      .where(inArray(planDigests.runId, [...runIds]))
      .run();
    return db.orm
      .delete(planArtifacts)
      .where(inArray(planArtifacts.runId, [...runIds]))
      .run().changes;
  },
  insertDigests: (row: typeof planDigests.$inferSelect): void => void db.orm.insert(planDigests).values(row).run(),
  findDigests: (runId: string): Buffer | undefined =>
    db.orm.select({ sealed: planDigests.sealed }).from(planDigests).where(eq(planDigests.runId, runId)).get()?.sealed,
  /** Returns the id of the plan that was last applied before a Run of the same Capsule. */
  findAppliedBefore: (capsuleId: string, seq: number): string | undefined =>
    db.orm
      .select({ planRunId: runs.planRunId })
      .from(runs)
      .where(
        and(eq(runs.capsuleId, capsuleId), lt(runs.seq, seq), eq(runs.type, 'apply'), eq(runs.status, 'succeeded')),
      )
      .orderBy(desc(runs.seq))
      .limit(1)
      .get()?.planRunId ?? undefined,
  findSeal: (runId: string): PlanSeal | undefined =>
    db.orm.select(sealColumns).from(planArtifacts).where(eq(planArtifacts.runId, runId)).get(),
  findNewestSeal: (capsuleId: string): PlanSeal | undefined =>
    db.orm
      .select(sealColumns)
      .from(planArtifacts)
      .where(eq(planArtifacts.capsuleId, capsuleId))
      .orderBy(desc(planArtifacts.createdAt))
      .limit(1)
      .get(),
  /**
   * Digest of the lock that a person last reviewed: that of the newest plan of the Capsule that was approved or applied, or else of its
   * first plan. A plan that was neither approved nor applied does not count as reviewed.
   */
  findReviewedLock(capsuleId: string): string | undefined {
    const locks = db.orm
      .select({ lockDigest: planArtifacts.lockDigest })
      .from(planArtifacts)
      .innerJoin(runs, eq(runs.id, planArtifacts.runId));
    const isTakenUp = or(isNotNull(runs.applyRunId), sql`${runs.facts} ->> '$.approval' IS NOT NULL`);
    const isOf = eq(planArtifacts.capsuleId, capsuleId);
    const newest = locks.where(and(isOf, isTakenUp)).orderBy(desc(planArtifacts.createdAt)).limit(1).get();
    if (newest) return newest.lockDigest;
    return db.orm
      .select({ lockDigest: planArtifacts.lockDigest })
      .from(planArtifacts)
      .where(isOf)
      .orderBy(asc(planArtifacts.createdAt))
      .limit(1)
      .get()?.lockDigest;
  },
  /** Returns the document of a plan, or one page of its resources. Throws 409 when it cannot be read. */
  findDocument(runId: string, page?: PlanPage): PlanDocument | undefined {
    const row = db.orm
      .select({ document: planArtifacts.document })
      .from(planArtifacts)
      .where(eq(planArtifacts.runId, runId))
      .get();
    return row && readDocument(row.document, page);
  },
});

function readDocument(stored: Buffer, page: PlanPage | undefined): PlanDocument {
  try {
    return parsePlanDocument(inflateRawSync(stored).toString(), page);
  } catch {
    throw failedPrecondition('plan_not_available', 'The stored plan is damaged and cannot be read. Plan again.');
  }
}
