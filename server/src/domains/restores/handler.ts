import type { ActivityService } from '#server/domains/activity/index';
import {
  auditItem,
  failureItem,
  phaseItem,
  phaseTimingsOf,
  type RestoreRun,
  type RunHandler,
  type RunsService,
} from '#server/domains/runs/index';
import type { Db } from '#server/kernel/db';
import { isLedgerFault } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import type { RunErrorCode } from '#shared/errors';
import { createRestoreCommit, type RestoreCommitPorts } from './commit.ts';
import { targetOf } from './requests.ts';

type Deps = RestoreCommitPorts & {
  db: Db;
  log: Log;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
};

/**
 * Executes restores. Everything is one transaction, from the first event of the feed to the end of the Run: after a crash
 * either all of it is committed, or nothing is and the restore starts again.
 */
export function createRestoreHandler(deps: Deps): RunHandler<RestoreRun> {
  const { db, clock, log, runs, activity, store } = deps;
  const commitAll = createRestoreCommit(deps);

  function succeed(run: RestoreRun): void {
    runs.append(run.id, [auditItem('restore.started', clock.now()), phaseItem('restore', 'started', clock.now())]);
    const ids = commitAll(run);
    runs.append(run.id, [phaseItem('restore', 'finished', clock.now())]);
    const [only, ...others] = ids;
    runs.move(run.id, 'finish', {
      facts: {
        phaseTimings: phaseTimingsOf(runs, run.id),
        ...(only !== undefined && others.length === 0 && { restoredStateVersionId: only }),
      },
      items: [auditItem('restore.completed', clock.now(), { data: { stateVersionIds: ids.slice(0, 100) } })],
    });
    record(run, 'restore.succeeded');
    failpoint('restore.recorded');
  }

  function fail(run: RestoreRun, { errorCode, message }: { errorCode: RunErrorCode; message: string }): void {
    const now = clock.now();
    runs.move(run.id, 'fail', {
      set: { errorCode },
      items: [
        auditItem('restore.started', now),
        failureItem(now, errorCode, message),
        auditItem('restore.failed', now, { data: { errorCode } }),
      ],
    });
    record(run, 'restore.failed');
  }

  function record(run: RestoreRun, action: 'restore.succeeded' | 'restore.failed'): void {
    const { id: runId, workspaceId, capsuleId } = run;
    const metadata = capsuleId === null ? {} : { capsuleId };
    activity.record({ workspaceId, action, ...targetOf(runId, run.facts.backupId), runId, metadata });
  }

  async function execute(run: RestoreRun): Promise<void> {
    failpoint('restore.begin');
    try {
      db.write(() => succeed(run));
    } catch (error) {
      if (isLedgerFault(error)) throw error;
      if (!(error instanceof AppError)) log.error({ runId: run.id, ...faultFields(error) }, 'a restore failed');
      db.write(() => fail(run, failureOf(error)));
    }
  }

  return {
    types: ['restore'],
    concurrency: 1,
    execute,
    resume: execute,
    // The machine of Runs refuses to cancel a running restore.
    cancel: () => {},
    fault(run, error) {
      if (store.findRestore(run.id) && run.status === 'running') db.write(() => fail(run, failureOf(error)));
    },
  };
}

function failureOf(error: unknown): { errorCode: RunErrorCode; message: string } {
  if (!(error instanceof AppError))
    return {
      errorCode: 'restore_failed',
      message: 'The states could not be committed, so no Capsule was changed. The log of the server has the details.',
    };
  const { reason } = error.details ?? {};
  const errorCode = reason === 'state_generation_mismatch' || reason === 'capsule_held' ? reason : 'restore_failed';
  return { errorCode, message: error.message };
}
