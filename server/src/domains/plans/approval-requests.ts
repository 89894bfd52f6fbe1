import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import { auditItem, createRunRecorder, type RunRecord, type RunsService } from '#server/domains/runs/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { Outbox } from '#server/kernel/outbox';
import { requirePlain } from '#server/kernel/plain-text';
import type { Run } from '#shared/runs/contract';
import { refusalOf, requireAll, reviewChecks } from './review-checks.ts';

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Pick<Outbox, 'push'>;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow'>;
  activity: Pick<ActivityService, 'record'>;
};

/** Requests to review a plan, from a person who may not approve it. They grant nothing. */
export function createApprovalRequests({ db, clock, outbox, runs, capsules, activity }: Deps) {
  const recordActivity = createRunRecorder(activity);
  const listeners: ((run: RunRecord) => void)[] = [];

  /** Throws 409 for a plan that cannot be approved or applied any more. */
  function requireReviewable(run: RunRecord, now: number): void {
    if (run.capsuleId === null) throw refusalOf('nothing_to_approve');
    const isComputed = run.planDigest !== null && (run.status === 'waiting_approval' || run.status === 'succeeded');
    requireAll([
      ['nothing_to_approve', !isComputed || run.type === 'drift_check' || run.applyRunId !== null],
      ...reviewChecks(run, { capsule: capsules.getRow(run.capsuleId), runs, now }),
      ['nothing_to_approve', () => runs.getRun(run.id).awaits === undefined],
    ]);
  }

  return {
    /** Registers a callback for the transaction that stores a request. */
    onApprovalRequested: (work: (run: RunRecord) => void): void => void listeners.push(work),

    /**
     * Stores the request of a person to have a plan approved or applied. A plan has one request: a later one returns
     * the first. 409 when the plan waits for no one, 400 for a note that looks like a credential.
     */
    requestApproval(
      runId: string,
      input: { actorId: string; note?: string | undefined },
    ): { run: Run; isNew: boolean } {
      return db.write(() => {
        const run = runs.getRecord(runId);
        if (run.facts.approvalRequest) return { run: runs.getRun(runId), isNew: false };
        const { actorId, note } = input;
        requirePlain('note', note);
        const now = clock.now();
        requireReviewable(run, now);
        const approvalRequest = { by: actorId, at: isoTime(now), ...(note !== undefined && { note }) };
        runs.update(runId, {}, { approvalRequest });
        runs.append(runId, [auditItem('plan.approval_requested', now, { actor: actorId })]);
        recordActivity(run, 'run.approval_requested', { actorId });
        for (const kind of ['run', 'approval_request'])
          outbox.push({ workspaceId: run.workspaceId, kind, recordId: runId, status: run.status });
        for (const listener of listeners) listener(runs.getRecord(runId));
        return { run: runs.getRun(runId), isNew: true };
      });
    },
  };
}
