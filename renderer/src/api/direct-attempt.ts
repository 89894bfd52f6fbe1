import { type Attempt, putAttempt } from './attempts.ts';
import { api } from './client.ts';
import { needsConfirmation } from './plan-confirmation.ts';
import { invalidateRecord, queryClient } from './queries.ts';
import { reportQuery, runQuery } from './records.ts';
import { followRun, type RunProgress } from './run-progress.ts';

/*
 * Attempts that cannot be a revision plan: before the first apply the server has no state to revise, and the same
 * commit is planned by its report. Each step is one request.
 */

const endOf = (runId: string): Promise<RunProgress> =>
  new Promise((resolve) => {
    followRun(runId, (progress) => {
      if (progress.isOver) resolve(progress);
    });
  });

async function sync(attempt: Attempt): Promise<Attempt> {
  const { sourceId } = attempt.target;
  const input = { params: { sourceId }, body: { intent: 'manual_plan' } } as const;
  const runId = attempt.syncRunId ?? (await api.syncSource(input, attempt.requestKeys.sync)).body.run.id;
  const started = { ...attempt, syncRunId: runId };
  putAttempt(started);
  const { problem } = await endOf(runId);
  const run = await queryClient.fetchQuery({ ...runQuery(runId), staleTime: 0 });
  invalidateRecord({ kind: 'source', id: sourceId });
  if (run.sourceSnapshotId === undefined || run.status !== 'succeeded')
    return { ...started, failure: { kind: 'sync', message: problem } };
  return { ...started, step: 'check', snapshotId: run.sourceSnapshotId };
}

async function check(attempt: Attempt): Promise<Attempt> {
  const { capsuleId, sourceId, modulePath, reportId } = attempt.target;
  const body = {
    ...(attempt.snapshotId !== undefined && { sourceSnapshotId: attempt.snapshotId }),
    ...(modulePath !== undefined && { modulePath }),
  };
  const answer = await api.checkCompatibility({ params: { sourceId }, body }, attempt.requestKeys.check);
  const { report } = answer.body;
  queryClient.setQueryData(reportQuery(report.id).queryKey, report);
  const checked = { ...attempt, reportId: report.id };
  if (report.level !== 'ready') return { ...checked, failure: { kind: 'findings' } };
  return { ...checked, step: 'plan', asks: await needsConfirmation(reportId, report, capsuleId) };
}

async function requestPlan({ target, reportId, requestKeys }: Attempt): Promise<string> {
  const body = { ...(reportId !== undefined && { compatibilityReportId: reportId }) };
  const answer = await api.planCapsule({ params: { capsuleId: target.capsuleId }, body }, requestKeys.plan);
  return answer.body.run.id;
}

type Follower = { signal: AbortSignal; onPlanned: (planRunId: string) => void };

/** Advances an attempt through its steps, until its plan Run exists or the user has to confirm what it runs. */
export async function advanceDirectly(first: Attempt, { signal, onPlanned }: Follower): Promise<void> {
  let attempt = first;
  while (!attempt.asks && !attempt.failure) {
    if (attempt.step === 'plan') return onPlanned(await requestPlan(attempt));
    attempt = { ...(await (attempt.step === 'sync' ? sync(attempt) : check(attempt))), since: Date.now() };
    signal.throwIfAborted();
    putAttempt(attempt);
  }
}
