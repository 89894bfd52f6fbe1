import type { CapsulesService } from '#server/domains/capsules/index';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { type Mount, ok } from '#server/kernel/http/index';
import type { Cursors } from '#server/kernel/page';
import { backupsApi, backupsOperatorApi } from '#shared/backups/api';
import type { RequestRestore } from '#shared/backups/contract';
import { nothingLeft } from '#shared/kernel/endpoint';

type Parts = { capsules: Pick<CapsulesService, 'getRow' | 'findWorkspace'>; cursors: Cursors };

const unavailable = () =>
  new AppError(
    'feature_unavailable',
    'This server does not create backups yet. Stop it and copy its data folder and its key file instead.',
  );

/** Refuses backup requests: this server does not create backups yet. */
export function backupsRoutes(mount: Mount, { capsules, cursors }: Parts): void {
  // This server does not create backups yet, so no id refers to one.
  function requestRestore(workspaceId: string, { capsuleId, ...backup }: RequestRestore): never {
    const { backupId: _id, stateGeneration: _generation, expectedBackupDigest: _digest, ...rest } = backup;
    nothingLeft(rest);
    if (capsuleId !== undefined && capsules.findWorkspace(capsuleId) !== workspaceId) throw notFound('Capsule');
    throw notFound('backup');
  }

  mount(backupsApi, {
    // The list is always empty, so its limit has no effect.
    listBackups: ({ params, query: { cursor, limit: _limit, ...rest } }) => {
      nothingLeft(rest);
      cursors.decode(`backups:${params.workspaceId}`, cursor);
      return ok({ backups: [] });
    },
    backUpWorkspace: () => () => {
      throw unavailable();
    },
    backUpCapsule:
      ({ params }) =>
      () => {
        const { status, currentStateVersionId } = capsules.getRow(params.capsuleId);
        if (status === 'destroyed')
          throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Install the module again.');
        if (currentStateVersionId === null)
          throw failedPrecondition(
            'capsule_never_applied',
            'This Capsule was never applied and has no state. Plan and apply it first.',
          );
        throw unavailable();
      },
    downloadBackup: () => {
      throw notFound('backup');
    },
    restoreBackup: ({ params, body }) => requestRestore(params.workspaceId, body),
  });
  mount(backupsOperatorApi, {
    requestRestore: ({ params, body }) => requestRestore(params.workspaceId, body),
  });
}
