import { useEffect, useSyncExternalStore } from 'react';
import type { RunErrorCode } from '#shared/errors';
import type { Finding } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import { api, newKey, OfflineError } from './client.ts';
import { bringsNew, isWorthWarning } from './module-code.ts';
import { invalidateRecord, queryClient } from './queries.ts';
import { reportQuery } from './records.ts';
import { followRun, type RunProgress } from './run-progress.ts';
import { capabilitiesQuery } from './runner.ts';

/** `newest` syncs the Source first; `same` plans the commit that the Capsule has. */
export type Choice = 'newest' | 'same';
export const attemptSteps = ['sync', 'check', 'plan'] as const;
export type AttemptStep = (typeof attemptSteps)[number];

type Target = {
  capsuleId: string;
  sourceId: string;
  modulePath?: string | undefined;
  /** The snapshot of the Capsule. Without one, only the newest commit can be planned. */
  snapshotId?: string | undefined;
  /** Id of the report that was confirmed before. A check that finds more asks for confirmation before anything runs. */
  reportId?: string | undefined;
};

export type Failure = {
  /** Refusal of the server, unchanged. */
  error?: unknown;
  /** Error code with which the sync failed. */
  code?: RunErrorCode | undefined;
  problem?: string | undefined;
  isCancelled?: boolean;
  /** Findings of the check that block the plan. */
  findings?: readonly Finding[];
};

export type Attempt = {
  target: Target;
  choice: Choice;
  step: AttemptStep;
  /** Start of the step, in milliseconds of this machine's clock. */
  since: number;
  /** Idempotency keys of the attempt, one per request: a reload repeats a request, and the server runs it once. */
  requestKeys: Record<AttemptStep, Record<'idempotency-key', string>>;
  syncRunId?: string;
  snapshotId?: string;
  commit?: string;
  reportId?: string;
  /** True while the attempt waits for the user to confirm what the plan runs. */
  asks?: boolean;
  /** Progress of the running sync; never stored. */
  progress?: RunProgress;
  failure?: Failure;
};

class StepFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super('A step of planning again failed.');
    this.failure = failure;
  }
}

const attempts = new Map<string, Attempt>();
const listeners = new Set<() => void>();
const watchers = new Map<string, (planRunId: string) => void>();
const storageKey = (capsuleId: string) => `plan-again:${capsuleId}`;

function put(capsuleId: string, attempt: Attempt | undefined): void {
  if (attempt) attempts.set(capsuleId, attempt);
  else attempts.delete(capsuleId);
  // A lost answer does not end the attempt: a page that is left aborts its requests, and the next page sends them
  // again.
  const isOver = attempt?.failure !== undefined && !(attempt.failure.error instanceof OfflineError);
  if (!attempt || isOver) sessionStorage.removeItem(storageKey(capsuleId));
  else {
    const stored = { ...attempt, progress: undefined, failure: undefined };
    sessionStorage.setItem(storageKey(capsuleId), JSON.stringify(stored));
  }
  for (const listener of listeners) listener();
}

async function endOf(attempt: Attempt, runId: string): Promise<RunProgress> {
  const { capsuleId } = attempt.target;
  return new Promise((resolve) => {
    followRun(runId, (progress) => {
      const now = attempts.get(capsuleId);
      if (now?.syncRunId === runId) put(capsuleId, { ...now, progress });
      if (progress.isOver) resolve(progress);
    });
  });
}

async function sync(attempt: Attempt): Promise<Attempt> {
  const { sourceId, capsuleId } = attempt.target;
  let started = attempt;
  if (attempt.syncRunId === undefined) {
    const { body } = await api.syncSource(
      { params: { sourceId }, body: { intent: 'manual_plan' } },
      attempt.requestKeys.sync,
    );
    started = { ...attempt, syncRunId: body.run.id };
    put(capsuleId, started);
  }
  const runId = started.syncRunId ?? '';
  const { problem } = await endOf(started, runId);
  const { run } = (await api.getRun({ params: { runId } })).body;
  if (run.sourceSnapshotId === undefined || run.status !== 'succeeded')
    throw new StepFailed({ code: run.errorCode, problem, isCancelled: run.status === 'cancelled' });
  invalidateRecord({ kind: 'source', id: sourceId });
  return {
    ...started,
    step: 'check',
    snapshotId: run.sourceSnapshotId,
    ...(run.resolvedCommit && { commit: run.resolvedCommit }),
  };
}

async function check(attempt: Attempt): Promise<Attempt> {
  const { sourceId, modulePath } = attempt.target;
  const { report } = (
    await api.checkCompatibility(
      {
        params: { sourceId },
        body: {
          ...(attempt.snapshotId !== undefined && { sourceSnapshotId: attempt.snapshotId }),
          ...(modulePath !== undefined && { modulePath }),
        },
      },
      attempt.requestKeys.check,
    )
  ).body;
  if (report.level === 'ready') {
    return { ...attempt, step: 'plan', reportId: report.id, asks: await needsConfirmation(attempt.target, report) };
  }
  throw new StepFailed({
    findings: report.findings.filter(({ compatibilityImpact }) => compatibilityImpact !== 'none'),
  });
}

/** Reports whether the plan would run something on this machine that was not confirmed yet. */
async function needsConfirmation({ reportId }: Target, report: CompatibilityReport): Promise<boolean> {
  if (reportId !== undefined) {
    const known = await queryClient.fetchQuery(reportQuery(reportId));
    return bringsNew(report, known);
  }
  const { runner } = await queryClient.fetchQuery(capabilitiesQuery);
  return runner.available && isWorthWarning(report, runner);
}

async function makePlan(attempt: Attempt): Promise<string> {
  const { capsuleId } = attempt.target;
  const compatibilityReportId = attempt.reportId ?? '';
  const answer = await api.planCapsule(
    { params: { capsuleId }, body: { compatibilityReportId } },
    attempt.requestKeys.plan,
  );
  return answer.body.run.id;
}

/** Advances through the steps. It continues when the user leaves the page. */
async function advance(first: Attempt): Promise<void> {
  const { capsuleId } = first.target;
  try {
    for (let attempt = first; !attempt.asks; ) {
      if (attempt.step === 'plan') {
        const planRunId = await makePlan(attempt);
        put(capsuleId, undefined);
        invalidateRecord({ kind: 'capsule', id: capsuleId });
        invalidateRecord({ kind: 'run', id: planRunId });
        watchers.get(capsuleId)?.(planRunId);
        return;
      }
      attempt = { ...(await (attempt.step === 'sync' ? sync(attempt) : check(attempt))), since: Date.now() };
      put(capsuleId, attempt);
    }
  } catch (error) {
    const now = attempts.get(capsuleId);
    if (now) put(capsuleId, { ...now, failure: error instanceof StepFailed ? error.failure : { error } });
  }
}

function start(target: Target, choice: Choice): void {
  const now = attempts.get(target.capsuleId);
  if (now && !now.failure) return;
  const known = choice === 'same' ? target.snapshotId : undefined;
  const attempt: Attempt = {
    target,
    choice,
    step: known === undefined ? 'sync' : 'check',
    since: Date.now(),
    requestKeys: { sync: newKey(), check: newKey(), plan: newKey() },
    ...(known !== undefined && { snapshotId: known }),
  };
  put(target.capsuleId, attempt);
  void advance(attempt);
}

/** Continues after the user has confirmed what the plan runs. */
function agree(capsuleId: string): void {
  const now = attempts.get(capsuleId);
  if (!now?.asks) return;
  const next = { ...now, asks: false, since: Date.now() };
  put(capsuleId, next);
  void advance(next);
}

/** Resumes an attempt that a reload interrupted, with the same keys. */
function resume(capsuleId: string): void {
  if (attempts.has(capsuleId)) return;
  const stored = sessionStorage.getItem(storageKey(capsuleId));
  if (stored === null) return;
  const attempt = JSON.parse(stored) as Attempt;
  attempts.set(capsuleId, attempt);
  for (const listener of listeners) listener();
  void advance(attempt);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Plans a Capsule again. `onPlanned` is called with the plan Run while the page is open. */
export function usePlanAgain(capsuleId: string, onPlanned: (planRunId: string) => void) {
  const attempt = useSyncExternalStore(subscribe, () => attempts.get(capsuleId));
  useEffect(() => {
    watchers.set(capsuleId, onPlanned);
    resume(capsuleId);
    return () => void watchers.delete(capsuleId);
  }, [capsuleId, onPlanned]);
  return { attempt, start, agree: () => agree(capsuleId), clear: () => put(capsuleId, undefined) };
}
