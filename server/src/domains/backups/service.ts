import { existsSync } from 'node:fs';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import type { FileReply } from '#server/kernel/http/index';
import { findInstallationId } from '#server/kernel/installation';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { backupsApi } from '#shared/backups/api';
import type { Backup } from '#shared/backups/contract';
import { createBackupDeletion } from './delete.ts';
import { createBackupFiles } from './files.ts';
import { createBackupHandler } from './handler.ts';
import { createBackupKeys } from './keys.ts';
import { createLedgerCopier } from './ledger-copier.ts';
import { backupOf } from './records.ts';
import { createBackupRequests } from './requests.ts';
import { createBackupRestore } from './restore.ts';
import { type BackupRow, createBackupsStore } from './store.ts';

type Built = 'store' | 'keys' | 'files' | 'installationId' | 'copyLedger';
type Deps = Omit<Parameters<typeof createBackupHandler>[0], Built> &
  Omit<Parameters<typeof createBackupRequests>[0], Built> &
  Omit<Parameters<typeof createBackupRestore>[0], Built> &
  Omit<Parameters<typeof createBackupDeletion>[0], Built> & { cursors: Cursors; dataDir: string };

export type BackupsService = ReturnType<typeof createBackupsService>;

/** Backups of Workspaces and Capsules: archives in the data folder, encrypted with a key of their Workspace. */
export function createBackupsService(deps: Deps) {
  const store = createBackupsStore(deps.db);
  const files = createBackupFiles(deps.dataDir);
  const copier = createLedgerCopier(deps.dataDir);
  const installationId = () => findInstallationId(deps.db) ?? '';
  const parts = { ...deps, store, files, keys: createBackupKeys({ ...deps, store }), installationId };

  const withFile = (row: BackupRow): Backup => ({
    ...backupOf(row),
    ...(!existsSync(files.fileOf(row.id)) && { fileMissing: true }),
  });

  return {
    create: createBackupRequests(parts).create,
    requestRestore: createBackupRestore(parts),
    ...createBackupDeletion(parts),
    isStored: (id: string): boolean => store.findBackup(id) !== undefined,
    handler: createBackupHandler({ ...parts, copyLedger: copier.copy }),
    /** Ends the worker that copies the ledger. */
    close: copier.close,

    list(
      workspaceId: string,
      query: ListQueryOf<typeof backupsApi.listBackups>,
    ): { backups: Backup[]; nextCursor?: string } {
      const { rows, next } = readPage(deps.cursors, query, {
        binding: `backups:${workspaceId}`,
        fetch: (after, limit) => store.listBackups(workspaceId, limit, beforeSeq(after)),
        positionOf: ({ seq }) => [seq],
      });
      return { backups: rows.map(withFile), ...next };
    },

    /** Returns the archive for a person, whose download the history names. Throws like `openFile`. */
    download(workspaceId: string, id: string, actorId: string): FileReply {
      const { file } = openFile(workspaceId, id);
      const row = { workspaceId, actorId, action: 'backup.downloaded', targetType: 'backup', targetId: id } as const;
      return { file: { ...file, onDownload: () => deps.db.write(() => deps.activity.record(row)) } };
    },
    openFile,
  };

  /** Returns the archive of a backup. 404 for an unknown one, 409 `backup_not_readable` when its file is missing. */
  function openFile(workspaceId: string, id: string): FileReply {
    const row = store.findBackup(id);
    if (!row || row.workspaceId !== workspaceId) throw notFound('backup');
    const path = files.fileOf(id);
    if (!existsSync(path))
      throw failedPrecondition(
        'backup_not_readable',
        'The archive of this backup is not in the data folder. Put a copy of it back there under the same name, or use another backup.',
      );
    const { digest, sizeBytes } = row;
    return { file: { path, sizeBytes, digest, contentType: 'application/octet-stream', name: `${id}.age` } };
  }
}
