import { and, eq, lt, notInArray, sql } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { driftMarks } from '#server/domains/drift/schema';
import { planArtifacts } from '#server/domains/plans/schema';
import { runs } from '#server/domains/runs/schema';
import type { Db } from '#server/kernel/db';

/** Plans of scheduled drift checks: they repeat, and only that of the mark is shown. */
export function checkPlans({ orm }: Pick<Db, 'orm'>) {
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
  return {
    listCapsuleIds: (): string[] =>
      orm
        .select({ id: capsules.id })
        .from(capsules)
        .all()
        .map(({ id }) => id),
    /** Scheduled checks of a Capsule before a time whose plan nothing uses. */
    listOldChecks: (of: { capsuleId: string; before: number; limit: number }): string[] =>
      old.all(of).map(({ id }) => id),
  };
}
