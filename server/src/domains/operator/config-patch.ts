import type { ActivityService } from '#server/domains/activity/index';
import type { ConfigsService } from '#server/domains/configs/index';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { InstallConfig } from '#shared/configs/contract';
import type { InstallConfigPatch } from '#shared/configs/patch';
import { createOperatorStore } from './store.ts';

type Deps = {
  db: Db;
  activity: Pick<ActivityService, 'record'>;
  configs: Pick<ConfigsService, 'replace' | 'getConfig' | 'findWorkspace'>;
};

/**
 * The operator's change of a configuration that stands before installations (API 4.12, shapes 22.2): a shared or a
 * Workspace's own one that no Capsule, Run or open installation stands on. The built-in plain one is shared and Capsules
 * are made from copies of it, so that it too can be patched as long as no installation is on its way over it. 404, 400
 * `install_config_patch_invalid`, 409 `install_config_in_use`, and 503 for what nothing runs yet.
 */
export function createConfigPatch({ db, activity, configs }: Deps) {
  const store = createOperatorStore(db);

  return (id: string, patch: InstallConfigPatch, actorId: string): InstallConfig =>
    db.write(() => {
      const { from, to } = configs.replace(id, patch);
      if (store.isConfigUsed(id))
        throw failedPrecondition(
          'install_config_in_use',
          'Something stands on this configuration. Wait until the installations over it have ended, or patch another one.',
        );
      refuseUnused(patch);
      const { kind: _, ...members } = patch;
      activity.record({
        workspaceId: configs.findWorkspace(id) ?? undefined,
        actorId,
        action: 'install_config.patched',
        targetType: 'install_config',
        targetId: id,
        metadata: { members: Object.keys(members).sort(), previousDigest: from, digest: to },
      });
      return configs.getConfig(id);
    });
}

/** Kept but never used, these would let an installation or an apply succeed without what it was to have. */
function refuseUnused({ lifecycleActions, variableMapping }: InstallConfigPatch): void {
  if (lifecycleActions?.length)
    throw new AppError(
      'feature_unavailable',
      'Lifecycle actions are not part of this version yet. Leave lifecycleActions out, or send it empty.',
    );
  if (variableMapping !== undefined && Object.keys(variableMapping).length > 0)
    throw new AppError(
      'feature_unavailable',
      'Values that a configuration gives by itself are not part of this version yet. Leave variableMapping out, or send it empty.',
    );
}
