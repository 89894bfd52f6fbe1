import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';
import { capsuleRunTypes, planTypes } from '#shared/runs/contract';

/** Runs of the first versions recorded none: theirs was the interim key. */
const recordedVersion = sql<number>`ifnull(${runs.input} ->> '$.keyVersion', 1)`;

export type ExecutionStore = ReturnType<typeof createExecutionStore>;

export const createExecutionStore = (db: Db) => ({
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
