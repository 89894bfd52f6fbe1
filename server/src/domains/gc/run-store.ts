import { and, asc, desc, eq, inArray, lt, not, notInArray, or, sql } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { driftMarks } from '#server/domains/drift/schema';
import { planArtifacts } from '#server/domains/plans/schema';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';
import { driftLimits } from '#shared/limits';

type ChecksQuery = { capsuleId: string; before: number; limit: number };

/** Scheduled drift checks and their plans: they repeat, and only the one of the mark is shown. */
export function scheduledChecks({ orm }: Pick<Db, 'orm'>) {
  const capsuleId = sql.placeholder('capsuleId');
  const marked = orm.select({ id: driftMarks.runId }).from(driftMarks).where(eq(driftMarks.capsuleId, capsuleId));
  // The next Run of the Capsule uses the lock file of the newest plan.
  const newest = sql`(SELECT max(created_at) FROM plan_artifacts WHERE capsule_id = ${capsuleId})`;
  const old = orm
    .select({ id: planArtifacts.runId })
    .from(planArtifacts)
    .innerJoin(runs, eq(runs.id, planArtifacts.runId))
    .where(
      and(
        eq(planArtifacts.capsuleId, capsuleId),
        lt(planArtifacts.createdAt, sql.placeholder('before')),
        lt(planArtifacts.createdAt, newest),
        eq(runs.type, 'drift_check'),
        eq(runs.createdBy, 'system'),
        notInArray(planArtifacts.runId, marked),
      ),
    )
    .limit(sql.placeholder('limit'))
    .prepare();
  const isOfSchedule = and(eq(runs.capsuleId, capsuleId), eq(runs.type, 'drift_check'), eq(runs.createdBy, 'system'));
  const isFinding = sql`(${runs.status} = 'failed' OR ifnull(${runs.facts} ->> '$.driftCount', 0) > 0)`;
  /** Position of the oldest check without findings that stays. */
  const oldestRetained = orm
    .select({ seq: runs.seq })
    .from(runs)
    .where(and(isOfSchedule, inArray(runs.status, ['succeeded', 'cancelled']), not(isFinding)))
    .orderBy(desc(runs.seq))
    .limit(1)
    .offset(driftLimits.retainedChecks - 1)
    .prepare();
  const expired = orm
    .select({ id: runs.id })
    .from(runs)
    .where(
      and(
        isOfSchedule,
        inArray(runs.status, ['succeeded', 'failed', 'cancelled']),
        or(
          and(isFinding, lt(runs.finishedAt, sql.placeholder('before'))),
          and(not(isFinding), lt(runs.seq, sql.placeholder('oldestRetained'))),
        ),
        notInArray(runs.id, marked),
        notInArray(
          runs.id,
          orm
            .select({ id: planArtifacts.runId })
            .from(planArtifacts)
            .where(and(eq(planArtifacts.capsuleId, capsuleId), eq(planArtifacts.createdAt, newest))),
        ),
      ),
    )
    .orderBy(asc(runs.seq))
    .limit(sql.placeholder('limit'))
    .prepare();
  return {
    listCapsuleIds: (): string[] =>
      orm
        .select({ id: capsules.id })
        .from(capsules)
        .all()
        .map(({ id }) => id),
    /** Scheduled checks of a Capsule before a time whose plan nothing uses. */
    listOldChecks: (of: ChecksQuery): string[] => old.all(of).map(({ id }) => id),
    /**
     * Ended scheduled checks of a Capsule that are not shown: those that found something or failed before a time, and
     * others behind the newest ones.
     */
    listExpiredChecks: (of: ChecksQuery): string[] =>
      expired.all({ ...of, oldestRetained: oldestRetained.get(of)?.seq ?? 0 }).map(({ id }) => id),
  };
}
