import type { CapsulesService } from '#server/domains/capsules/index';
import { actorOf, type Caller, created, type Mount, noContent, ok } from '#server/kernel/http/index';
import { backupsApi, backupsOperatorApi } from '#shared/backups/api';
import type { RestoreBody } from './restore.ts';
import type { BackupsService } from './service.ts';

type Parts = { backups: BackupsService; capsules: Pick<CapsulesService, 'getRow'> };

export function backupsRoutes(mount: Mount, { backups, capsules }: Parts): void {
  const restore = async (workspaceId: string, body: RestoreBody, caller: Caller) => {
    const request = await backups.requestRestore({ ...body, workspaceId, actorId: actorOf(caller) });
    return () => created({ run: request() });
  };
  const requesterOf = (caller: Caller) => ({ actorId: actorOf(caller), idempotencyKey: caller.idempotencyKey });

  mount(backupsApi, {
    listBackups: ({ params, query }) => ok(backups.list(params.workspaceId, query)),
    backUpWorkspace: async ({ params: { workspaceId }, caller }) => {
      const backup = await backups.create({ workspaceId, ...requesterOf(caller) });
      return () => created({ backup });
    },
    backUpCapsule: async ({ params: { capsuleId }, caller }) => {
      const { workspaceId } = capsules.getRow(capsuleId);
      const backup = await backups.create({ workspaceId, capsuleId, ...requesterOf(caller) });
      return () => created({ backup });
    },
    downloadBackup: ({ params, caller }) => backups.download(params.workspaceId, params.backupId, actorOf(caller)),
    deleteBackup:
      ({ params: { workspaceId, backupId }, caller }) =>
      () => {
        backups.delete(workspaceId, backupId, actorOf(caller));
        return noContent();
      },
    restoreBackup: ({ params, body, caller }) => restore(params.workspaceId, body, caller),
  });
  mount(backupsOperatorApi, {
    requestRestore: ({ params, body, caller }) => restore(params.workspaceId, body, caller),
  });
}
