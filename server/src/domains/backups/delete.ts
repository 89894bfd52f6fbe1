import type { ActivityService } from '#server/domains/activity/index';
import type { Db } from '#server/kernel/db';
import { notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import type { BackupFiles } from './files.ts';
import type { BackupRow, BackupsStore } from './store.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
  store: Pick<BackupsStore, 'findBackup' | 'deleteBackup' | 'listScheduled'>;
  files: Pick<BackupFiles, 'removeFile'>;
};

/** Deletes backups: first the record, then the file, which the next backup removes after a crash between the two. */
export function createBackupDeletion({ db, outbox, activity, store, files }: Deps) {
  const remove = ({ id, workspaceId, capsuleId }: BackupRow, actorId: string): void =>
    db.write(() => {
      store.deleteBackup(id);
      activity.record({
        workspaceId,
        actorId,
        action: 'backup.deleted',
        targetType: 'backup',
        targetId: id,
        metadata: capsuleId === null ? {} : { capsuleId },
      });
      outbox.push({ workspaceId, kind: 'backup', recordId: id });
      db.afterCommit(() => files.removeFile(id));
    });

  return {
    /** Deletes a backup with its archive. 404 for one that does not exist in the Workspace. */
    delete(workspaceId: string, id: string, actorId: string): void {
      const row = store.findBackup(id);
      if (!row || row.workspaceId !== workspaceId) throw notFound('backup');
      remove(row, actorId);
    },

    /** Deletes all but the newest backups that the schedule of a Workspace has made. */
    deleteScheduled(workspaceId: string, keep: number): void {
      for (const row of store.listScheduled(workspaceId).slice(keep)) remove(row, 'system');
    },
  };
}
