import type { RevisionPlan } from '#shared/revision-plans/revision-plan';
import type { CompatibilityReport } from '#shared/sources/report';
import {
  type Attempt,
  type Choice,
  findAttempt,
  putAttempt,
  readStoredAttempt,
  removeAttempt,
  saveOpenedRun,
  type Target,
  takeOpenedRun,
} from './attempts.ts';
import { cancelRevision } from './cancel-revision.ts';
import { newKey, OfflineError } from './client.ts';
import { advanceDirectly } from './direct-attempt.ts';
import { invalidateRecord } from './queries.ts';
import { advanceRevision } from './revision-attempt.ts';

const stops = new Map<string, AbortController>();
const watchers = new Map<string, (planRunId: string) => void>();
/** Revision plans that this page has advanced or closed. They are not opened again. */
const known = new Set<string>();

/** Plan Runs that this page has opened. */
const opened = new Set<string>();

const isRevision = ({ choice, target, revisionPlanId }: Attempt): boolean =>
  revisionPlanId !== undefined || (choice === 'newest' && target.ref !== undefined);

/** Advances an attempt. It continues when the user leaves the page. */
function drive(attempt: Attempt): void {
  const { capsuleId } = attempt.target;
  const stop = new AbortController();
  stops.set(capsuleId, stop);
  const onPlanned = (planRunId: string) => {
    const isFromElsewhere = findAttempt(capsuleId)?.isFromElsewhere;
    removeAttempt(capsuleId);
    invalidateRecord({ kind: 'capsule', id: capsuleId });
    invalidateRecord({ kind: 'run', id: planRunId });
    const open = isFromElsewhere ? undefined : watchers.get(capsuleId);
    if (!open) return;
    opened.add(planRunId);
    saveOpenedRun(capsuleId, planRunId);
    open(planRunId);
  };
  const { signal } = stop;
  const work = isRevision(attempt)
    ? advanceRevision(attempt, { signal, onPlanned, onOpened: (id) => known.add(id) })
    : advanceDirectly(attempt, { signal, onPlanned });
  work.catch((error: unknown) => {
    const now = findAttempt(capsuleId);
    if (now && !signal.aborted) putAttempt({ ...now, failure: { kind: 'refused', error } });
  });
}

/** Starts an attempt, or continues one that a lost connection or a missing tool has stopped. */
export function startAttempt(target: Target, choice: Choice, report: ReportState | undefined): void {
  const now = findAttempt(target.capsuleId);
  // A question is given up for another ref or commit; anything else that is in progress goes on.
  const isOther = now?.asks && (now.choice !== choice || now.target.ref !== target.ref);
  if (now && !now.failure && !isOther) return;
  if (now && now.choice === choice && now.target.ref === target.ref && isUnfinished(now)) {
    const { failure: _failure, ...again } = now;
    putAttempt(again);
    drive(again);
    return;
  }
  if (now) closeAttempt(target.capsuleId);
  const attempt = newAttempt(target, choice, report);
  putAttempt(attempt);
  drive(attempt);
}

/** True when a request of the attempt may still take effect: its answer was lost, or its revision plan is open. */
const isUnfinished = ({ revisionPlanId, failure }: Attempt): boolean =>
  revisionPlanId !== undefined || (failure?.kind === 'refused' && failure.error instanceof OfflineError);

type ReportState = Pick<CompatibilityReport, 'level' | 'sourceSnapshotId'>;

const newKeys = (): Attempt['requestKeys'] => ({ sync: newKey(), check: newKey(), plan: newKey() });

/** The same commit is only checked when its report is missing or was not ready. */
function newAttempt(target: Target, choice: Choice, report: ReportState | undefined): Attempt {
  const { snapshotId, reportId } = target;
  const isSame = choice === 'same' && snapshotId !== undefined;
  const isChecked = isSame && report?.level === 'ready' && report.sourceSnapshotId === snapshotId;
  return {
    target,
    choice,
    step: isChecked ? 'plan' : isSame ? 'check' : 'sync',
    since: Date.now(),
    requestKeys: newKeys(),
    ...(isSame && { snapshotId }),
    ...(isChecked && reportId !== undefined && { reportId }),
  };
}

/** Continues after the user has confirmed what the plan runs. */
export function confirmAttempt(capsuleId: string): void {
  const now = findAttempt(capsuleId);
  if (!now?.asks) return;
  const { asks: _asks, isFromElsewhere: _isFromElsewhere, ...rest } = now;
  const next = { ...rest, isConfirmed: true, since: Date.now() };
  putAttempt(next);
  drive(next);
}

/** Ends an attempt, with its revision plan. */
export function closeAttempt(capsuleId: string): void {
  const now = findAttempt(capsuleId);
  stops.get(capsuleId)?.abort();
  removeAttempt(capsuleId);
  if (now?.revisionPlanId === undefined) return;
  known.add(now.revisionPlanId);
  void cancelRevision(now.revisionPlanId);
}

/** Calls `onPlanned` with the plan Run while the page is open, and resumes an attempt that a reload interrupted. */
export function watchAttempt(capsuleId: string, onPlanned: (planRunId: string) => void): () => void {
  watchers.set(capsuleId, onPlanned);
  const openedRunId = takeOpenedRun(capsuleId);
  if (openedRunId !== undefined && !opened.has(openedRunId)) onPlanned(openedRunId);
  const stored = findAttempt(capsuleId) ? undefined : readStoredAttempt(capsuleId);
  if (stored) {
    putAttempt(stored);
    if (!stored.asks) drive(stored);
  }
  return () => void watchers.delete(capsuleId);
}

/**
 * Shows the revision plan that the same account has started in another tab, and advances it. An attempt that waits for
 * a confirmation goes on when it was confirmed or cancelled there.
 */
export function adoptRevision(target: Target, plan: RevisionPlan | null): void {
  const now = findAttempt(target.capsuleId);
  if (now?.asks && now.revisionPlanId !== undefined && (plan === null || plan.planRunId !== undefined)) drive(now);
  if (now || plan === null || known.has(plan.id)) return;
  const attempt: Attempt = {
    target: { ...target, ref: plan.revision.targetRef },
    choice: 'newest',
    step: 'sync',
    since: Date.parse(plan.updatedAt),
    requestKeys: newKeys(),
    revisionPlanId: plan.id,
    isFromElsewhere: true,
  };
  known.add(plan.id);
  if (plan.planRunId === undefined) putAttempt(attempt);
  drive(attempt);
}
