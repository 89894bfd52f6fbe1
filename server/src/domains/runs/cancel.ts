import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import { actorOf, type Caller, mayWrite } from '#server/kernel/http/index';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { isTerminal } from '#shared/kernel/machine';
import type { runsApi } from '#shared/runs/api';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import { runMachine } from '#shared/runs/machine';
import { createRunRecorder } from './activity-records.ts';
import { runKindOf } from './audit-events.ts';
import { auditItem } from './feed-items.ts';
import { isCapsuleRun, isSyncRun, type RunRecord } from './run-record.ts';
import type { RunsService } from './service.ts';

type CancelDeps = { runs: RunsService; clock: Clock; activity: Pick<ActivityService, 'record'> };

/** Ends a Run that has not started. */
export function cancelWaiting(deps: CancelDeps, run: RunRecord, actor: string): void {
  const items = [auditItem(`${runKindOf(run)}.cancelled`, deps.clock.now(), { actor })];
  deps.runs.move(run.id, 'cancel', { items });
  createRunRecorder(deps.activity)(run, 'run.cancelled', { actorId: actor });
}

/** Cancels the queued Runs of a Workspace, in the transaction that archives it. Running Runs end on their own. */
export const createQueuedCancel =
  (deps: CancelDeps) =>
  (workspaceId: string, actorId: string): void => {
    for (const run of deps.runs.store.listByStatus('queued'))
      if (run.workspaceId === workspaceId) cancelWaiting(deps, run, actorId);
  };

/**
 * Cancels what a restored installation must not start: queued Runs, and restores that wait for an approval. Returns
 * their number.
 */
export const createRestoredCancel = (deps: CancelDeps) => (): number => {
  const { store } = deps.runs;
  const waiting = store.listByStatus('waiting_approval').filter(({ type }) => type === 'restore');
  const ended = [...store.listByStatus('queued'), ...waiting];
  for (const run of ended) cancelWaiting(deps, run, 'system');
  return ended.length;
};

/** Cancels waiting Runs at once and asks running ones to end gracefully; a running apply only with `interrupt`. */
export function createCancel(deps: CancelDeps) {
  const { runs, clock } = deps;

  function requestEnd(run: RunRecord, actor: string, interrupt: boolean): void {
    if (run.type === 'backup' || run.type === 'restore')
      throw failedPrecondition(
        'run_not_cancellable',
        'A running backup or restore cannot be cancelled. Wait until it ends.',
      );
    if (isApplyType(run.type)) {
      if (!interrupt) {
        throw failedPrecondition(
          'apply_in_progress',
          'An apply is running. Send {"interrupt": true} to end it gracefully; the state it has reached is kept.',
        );
      }
      runs.append(run.id, [auditItem('apply.interrupt_requested', clock.now(), { actor })]);
      createRunRecorder(deps.activity)(run, 'run.interrupted', { actorId: actor });
    }
    if (isCapsuleRun(run) || isSyncRun(run)) runs.extendInput(run, { cancelledBy: actor });
    runs.requestStop(run);
  }

  return (id: string, caller: Caller, { interrupt, ...rest }: BodyOf<typeof runsApi.cancelRun>): Run => {
    nothingLeft(rest);
    const run = runs.getRecord(id);
    const actor = actorOf(caller);
    const onlyProposes = !mayWrite(caller);
    if (onlyProposes && (run.createdBy !== actor || !isPlanType(run.type))) {
      throw new AppError('forbidden', 'Your role lets you cancel only plans that you created. Ask an owner or admin.');
    }
    if (run.status === 'cancelled') return runs.getRun(id);
    if (isTerminal(runMachine, run.status))
      throw failedPrecondition('run_terminal', 'This Run has already ended. Reload to see its result.');
    if (run.status === 'running') requestEnd(run, actor, interrupt === true);
    else cancelWaiting(deps, run, actor);
    return runs.getRun(id);
  };
}
