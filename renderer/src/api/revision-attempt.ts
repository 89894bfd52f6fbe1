import { queryOptions } from '@tanstack/react-query';
import { reconcileToEnd } from '#shared/kernel/reconcile';
import type { RevisionPlanAnswer } from '#shared/revision-plans/api';
import type { RevisionDiagnostic, RevisionPlan } from '#shared/revision-plans/revision-plan';
import type { CompatibilityReport } from '#shared/sources/report';
import { type Attempt, type AttemptStep, type Failure, findAttempt, putAttempt, removeAttempt } from './attempts.ts';
import { ApiError, api, OfflineError } from './client.ts';
import { findMissingNames } from './missing-values.ts';
import { needsConfirmation } from './plan-confirmation.ts';
import { keys, queryClient } from './queries.ts';
import { reportQuery } from './records.ts';

const stepOfPhase: Partial<Record<RevisionPlan['phase'], AttemptStep>> = {
  syncing_source: 'sync',
  analyzing_compatibility: 'check',
};
const stepOfStage = { source: 'sync', preparation: 'check', create: 'plan' } as const;

type Follower = {
  signal: AbortSignal;
  onPlanned: (planRunId: string) => void;
  onOpened: (revisionPlanId: string) => void;
};

/**
 * Advances an attempt that is a revision plan of the server, until its plan Run exists or the user has to confirm what
 * it runs. The revision plan is then reconciled to its end.
 */
export async function advanceRevision(attempt: Attempt, { signal, onPlanned, onOpened }: Follower): Promise<void> {
  const first = await readOrCreate(attempt);
  onOpened(first.revisionPlan.id);
  signal.throwIfAborted();
  const { capsuleId } = attempt.target;
  const params = { revisionPlanId: first.revisionPlan.id };
  // Without an attempt on the page, a revision plan that has its Run already is only brought to its end.
  let isShown = findAttempt(capsuleId) !== undefined;
  const show = ({ revisionPlan }: RevisionPlanAnswer) => {
    if (!isShown) return;
    isShown = revisionPlan.planRunId === undefined;
    if (revisionPlan.planRunId !== undefined) onPlanned(revisionPlan.planRunId);
    else if (isCancelled(revisionPlan)) removeAttempt(capsuleId);
    else putAttempt(attemptAt(findAttempt(capsuleId) ?? attempt, revisionPlan));
  };
  show(first);
  let missing: readonly string[] = [];
  const holdsAt = async ({ revisionPlan }: RevisionPlanAnswer): Promise<boolean> => {
    const report = await reportToPlan(revisionPlan);
    if (!report) return false;
    missing = await findMissingNames(capsuleId, report);
    return (
      missing.length > 0 || (!attempt.isConfirmed && needsConfirmation(attempt.target.reportId, report, capsuleId))
    );
  };
  const last = await reconcileToEnd<RevisionPlanAnswer>(
    { reconcile: () => api.reconcileRevisionPlan({ params }), read: () => api.getRevisionPlan({ params }) },
    {
      signal,
      first,
      onAnswer: show,
      holdsAt,
      isTransient: (error) => error instanceof OfflineError,
    },
  );
  if (isShown && last.nextAction === 'reconcile')
    putAttempt({
      ...attemptAt(findAttempt(capsuleId) ?? attempt, last.revisionPlan),
      asks: true,
      ...(missing.length > 0 && { missing }),
    });
}

async function readOrCreate({ target, requestKeys, revisionPlanId }: Attempt): Promise<RevisionPlanAnswer> {
  if (revisionPlanId !== undefined) return (await api.getRevisionPlan({ params: { revisionPlanId } })).body;
  const input = { params: { capsuleId: target.capsuleId }, body: { ref: target.ref ?? 'HEAD' } };
  return (await api.createRevisionPlan(input, requestKeys.plan)).body;
}

/** The report of a revision plan that is about to create its plan Run. */
async function reportToPlan({
  phase,
  planRunId,
  compatibilityReportId,
}: RevisionPlan): Promise<CompatibilityReport | undefined> {
  if (phase !== 'planning' || planRunId !== undefined || compatibilityReportId === undefined) return undefined;
  return queryClient.fetchQuery(reportQuery(compatibilityReportId));
}

const isCancelled = ({ diagnostic }: RevisionPlan): boolean => diagnostic?.code === 'revision_plan_cancelled';

/** The attempt at the step of its revision plan. */
function attemptAt(attempt: Attempt, plan: RevisionPlan): Attempt {
  const { asks: _asks, missing: _missing, failure: _failure, revisionPlanId: _id, ...rest } = attempt;
  const { phase, diagnostic, sourceSyncRunId, compatibilityReportId } = plan;
  const stage = phase === 'failed' ? (diagnostic?.planCreationStage ?? 'create') : undefined;
  return {
    ...rest,
    step: stage ? stepOfStage[stage] : (stepOfPhase[phase] ?? 'plan'),
    since: Date.parse(plan.updatedAt),
    ...(sourceSyncRunId !== undefined && { syncRunId: sourceSyncRunId }),
    ...(compatibilityReportId !== undefined && { reportId: compatibilityReportId }),
    ...(stage === undefined && { revisionPlanId: plan.id }),
    ...(stage !== undefined && diagnostic && { failure: failureOf(diagnostic) }),
  };
}

function failureOf({ code, message, reason }: RevisionDiagnostic): Failure {
  if (code === 'source_sync_failed') return { kind: 'sync', message };
  if (code === 'revision_compatibility_not_runnable') return { kind: 'findings' };
  return {
    kind: 'refused',
    error: new ApiError(409, { code, message, details: reason === undefined ? {} : { reason } }),
  };
}

/** The revision plan of a Capsule that the account started last, while it is in progress; otherwise null. */
export const openRevisionQuery = (input: { workspaceId: string; capsuleId: string; actorId: string }) =>
  queryOptions({
    queryKey: keys.openRevision(input.capsuleId),
    queryFn: async () => {
      const { workspaceId, capsuleId, actorId } = input;
      const query = { capsuleId, actorId, targetType: 'revision_plan', limit: '1' } as const;
      const [newest] = (await api.listActivity({ params: { workspaceId }, query })).body.events;
      const phase = newest?.metadata['phase'];
      if (!newest || phase === 'failed' || phase === 'reviewable') return null;
      const { body } = await api.getRevisionPlan({ params: { revisionPlanId: newest.targetId } });
      return body.nextAction === 'reconcile' ? body.revisionPlan : null;
    },
  });
