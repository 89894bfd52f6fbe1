import type { ActivityService } from '#server/domains/activity/index';
import {
  auditItem,
  failureItem,
  phaseItem,
  phaseTimingsOf,
  type RunHandler,
  type RunRecord,
  type RunsService,
} from '#server/domains/runs/index';
import { BackupError } from '#server/drivers/backup-archive/index';
import type { Db } from '#server/kernel/db';
import { isDiskFault } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields } from '#server/kernel/log';
import type { RunErrorCode } from '#shared/errors';
import type { BackupFiles } from './files.ts';
import type { BackupsStore } from './store.ts';
import { createWriting, type WritingPorts, type Written } from './write.ts';

type Deps = WritingPorts & {
  db: Db;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  store: BackupsStore;
  files: BackupFiles;
};

/** Makes backups, one at a time. A backup that was interrupted fails, and nothing of it is left. */
export function createBackupHandler(deps: Deps): RunHandler {
  const { db, clock, log, runs, activity, store, files } = deps;
  const write = createWriting(deps);

  function record(run: RunRecord, written: Written): void {
    const { id: createdByRunId, workspaceId, capsuleId, createdBy: actorId } = run;
    const now = clock.now();
    const environment = run.facts.environment ?? null;
    store.insertBackup({ ...written, workspaceId, capsuleId, environment, createdByRunId, createdAt: now });
    runs.append(run.id, [phaseItem('backup', 'finished', now)]);
    runs.move(run.id, 'finish', {
      facts: { backupId: written.id, phaseTimings: phaseTimingsOf(runs, run.id) },
      items: [auditItem('backup.completed', now, { data: { backupId: written.id, digest: written.digest } })],
    });
    activity.record({
      workspaceId,
      actorId,
      action: 'backup.created',
      targetType: 'backup',
      targetId: written.id,
      runId: run.id,
      metadata: capsuleId === null ? {} : { capsuleId },
    });
    failpoint('backup.recorded');
  }

  async function execute(run: RunRecord, signal: AbortSignal): Promise<void> {
    failpoint('backup.begin');
    files.removeOthers(store.listIds());
    const now = clock.now();
    runs.append(run.id, [auditItem('backup.started', now), phaseItem('backup', 'started', now)]);
    try {
      const written = await write(run, signal);
      db.write(() => record(run, written));
    } catch (error) {
      // The next start ends the Run.
      if (signal.aborted) return;
      log.error({ runId: run.id, ...faultFields(error) }, 'a backup failed');
      fail(run, failureOf(error));
    } finally {
      files.removeCopy();
    }
  }

  function fail(run: RunRecord, { errorCode, message }: { errorCode: RunErrorCode; message: string }): void {
    const now = clock.now();
    files.removeOthers(store.listIds());
    db.write(() =>
      runs.move(run.id, 'fail', {
        set: { errorCode },
        items: [failureItem(now, errorCode, message), auditItem('backup.failed', now, { data: { errorCode } })],
      }),
    );
  }

  return {
    types: ['backup'],
    concurrency: 1,
    execute,
    resume: async (run) =>
      fail(run, {
        errorCode: 'backup_failed',
        message: 'The server stopped while the backup was made. Nothing of it was kept. Back up again.',
      }),
    // The machine of Runs refuses to cancel a running backup.
    cancel: () => {},
    fault(run, error) {
      if (run.status === 'running') fail(run, failureOf(error));
    },
  };
}

function failureOf(error: unknown): { errorCode: RunErrorCode; message: string } {
  if (isDiskFault(error))
    return {
      errorCode: 'disk_full',
      message:
        'The disk of the data folder is failing, or has less free space than twice the size of the ledger. Free some space there, then back up again.',
    };
  if (error instanceof BackupError) return { errorCode: 'backup_failed', message: error.message };
  return {
    errorCode: 'backup_failed',
    message: 'The backup could not be made. The log of the server has the details. Back up again.',
  };
}
