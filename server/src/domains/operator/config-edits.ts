import type { ActivityService } from '#server/domains/activity/index';
import type { ConfigEdits, InstallConfigsService } from '#server/domains/install-configs/index';
import type { SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { InstallConfig } from '#shared/install-configs/contract';
import type { CreateInstallConfig, InstallConfigPatch } from '#shared/install-configs/patch';
import { createOperatorStore } from './store.ts';

type Deps = {
  db: Db;
  activity: Pick<ActivityService, 'record'>;
  configs: Pick<InstallConfigsService, 'getConfig' | 'findWorkspace'>;
  edits: ConfigEdits;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  sources: Pick<SourcesService, 'requireUrl'>;
};
type Action = 'install_config.created' | 'install_config.patched' | 'install_config.deleted';

/**
 * The operator's InstallConfigs: shared ones and those of a Workspace, which installations start from. An edit affects
 * installations whose authority commit comes later. Throws 404, 400 `install_config_patch_invalid`, 409
 * `install_config_in_use` and `install_config_selector_taken`.
 */
export function createOperatorConfigs({ db, activity, configs, edits, workspaces, sources }: Deps) {
  const store = createOperatorStore(db);

  const record = (id: string, action: Action, actorId: string, metadata: { [name: string]: unknown }) =>
    activity.record({
      workspaceId: configs.findWorkspace(id) ?? undefined,
      actorId,
      action,
      targetType: 'install_config',
      targetId: id,
      metadata,
    });

  function requireFree(id: string): void {
    if (!store.isConfigUsed(id)) return;
    throw failedPrecondition(
      'install_config_in_use',
      'An installation from this configuration is in progress. Wait until it has ended, or cancel it.',
    );
  }

  return {
    create: (body: CreateInstallConfig, actorId: string): InstallConfig =>
      db.write(() => {
        const { workspaceId, sourceSelector } = body;
        if (workspaceId !== undefined) workspaces.requireLive(workspaceId);
        const url = sourceSelector && sources.requireUrl(sourceSelector.url, '/sourceSelector/url');
        const selected = { ...body, ...(sourceSelector && url && { sourceSelector: { ...sourceSelector, url } }) };
        const { id, digest } = edits.create(selected, newId('activity'));
        record(id, 'install_config.created', actorId, { digest });
        return configs.getConfig(id);
      }),

    patch: (id: string, { kind: _, ...members }: InstallConfigPatch, actorId: string): InstallConfig =>
      db.write(() => {
        const { from, to } = edits.replace(id, members);
        requireFree(id);
        record(id, 'install_config.patched', actorId, {
          members: Object.keys(members).sort(),
          previousDigest: from,
          digest: to,
        });
        return configs.getConfig(id);
      }),

    delete: (id: string, actorId: string): void =>
      db.write(() => {
        const workspaceId = configs.findWorkspace(id);
        edits.delete(id);
        requireFree(id);
        activity.record({
          workspaceId: workspaceId ?? undefined,
          actorId,
          action: 'install_config.deleted',
          targetType: 'install_config',
          targetId: id,
          metadata: {},
        });
      }),
  };
}

export type OperatorConfigs = ReturnType<typeof createOperatorConfigs>;
