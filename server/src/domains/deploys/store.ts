import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { and, asc, desc, eq, getTableColumns, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';
import type { PlanDocument } from '#shared/deploys/plan';
import { parseExactly } from '#shared/kernel/exact-number';
import { capsuleRunTypes, planTypes } from '#shared/runs/contract';
import { planArtifacts } from './schema.ts';

/** Runs of the first versions recorded none: theirs was the interim key. */
const recordedVersion = sql<number>`ifnull(${runs.input} ->> '$.keyVersion', 1)`;

const { document: _document, ...sealColumns } = getTableColumns(planArtifacts);

/** The seal without the document, which can be large. */
export type PlanSeal = Omit<typeof planArtifacts.$inferSelect, 'document'>;
export type DeploysStore = ReturnType<typeof createDeploysStore>;

export const createDeploysStore = (db: Db) => ({
  insertArtifact: (seal: PlanSeal, document: PlanDocument): void =>
    void db.orm
      .insert(planArtifacts)
      .values({ ...seal, document: deflateRawSync(JSON.stringify(document)) })
      .run(),
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
  /** Queued Runs that would receive values of a Connection. */
  listWaitingFor: (connectionId: string): string[] =>
    db.orm
      .select({ id: runs.id })
      .from(runs)
      .where(
        and(
          eq(runs.status, 'queued'),
          sql`EXISTS (SELECT 1 FROM json_each(${runs.input}, '$.bound.connectionIds') WHERE value = ${connectionId})`,
        ),
      )
      .orderBy(asc(runs.seq))
      .all()
      .map(({ id }) => id),
  findDocument(runId: string): PlanDocument | undefined {
    const row = db.orm
      .select({ document: planArtifacts.document })
      .from(planArtifacts)
      .where(eq(planArtifacts.runId, runId))
      .get();
    return row && (parseExactly(inflateRawSync(row.document).toString()) as PlanDocument);
  },
  /** Key version of the previous Run of a Capsule that was handed to a supervisor. */
  findKeyVersionBefore: (capsuleId: string, seq: number): number | undefined =>
    db.orm
      .select({ version: recordedVersion })
      .from(runs)
      .where(and(eq(runs.capsuleId, capsuleId), lt(runs.seq, seq), isNotNull(runs.startedAt)))
      .orderBy(desc(runs.seq))
      .limit(1)
      .get()?.version,
  /**
   * Key versions that Runs still need, with one Run each: Runs in progress, plans that may still be applied or are being applied, and Runs
   * that did not succeed. For the last ones the Run's own folder shows whether any file is left.
   */
  listKeyUses: (now: number): { runId: string; workspaceId: string; version: number; isEnded: boolean }[] =>
    db.orm
      .select({
        runId: runs.id,
        workspaceId: runs.workspaceId,
        version: recordedVersion,
        isEnded: sql<boolean>`${runs.status} IN ('failed', 'cancelled')`.mapWith(Boolean),
      })
      .from(runs)
      .where(
        and(
          inArray(runs.type, capsuleRunTypes),
          isNotNull(runs.startedAt),
          or(
            inArray(runs.status, ['queued', 'running', 'failed', 'cancelled']),
            and(
              inArray(runs.type, planTypes),
              inArray(runs.status, ['succeeded', 'waiting_approval']),
              isNull(runs.supersededAt),
              isNull(runs.applyRunId),
              gt(runs.planExpiresAt, now),
            ),
            sql`${runs.applyRunId} IN (SELECT a.id FROM runs a WHERE a.status IN ('queued', 'running'))`,
          ),
        ),
      )
      .all(),
});
