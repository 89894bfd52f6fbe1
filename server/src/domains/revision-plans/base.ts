import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { SourcesService } from '#server/domains/sources/index';
import { canonicalJson } from '#server/kernel/digest';
import type { RevisionBase } from '#shared/revision-plans/revision-plan';
import type { RevisionRow } from './store.ts';

export type BasePorts = {
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'digestOf'>;
  sources: Pick<SourcesService, 'getSource'>;
};

/** Base of an update: the Capsule, its configuration and its Source as they are now. */
export function baseOf(capsule: CapsuleRow, { configs, sources }: BasePorts): RevisionBase {
  const { defaultRef, defaultPath, authConnectionId } = sources.getSource(capsule.sourceId);
  return {
    capsuleStateGeneration: capsule.currentStateGeneration,
    ...(capsule.currentStateVersionId !== null && { capsuleStateVersionId: capsule.currentStateVersionId }),
    installConfigId: capsule.installConfigId,
    installConfigDigest: configs.digestOf(capsule.installConfigId),
    sourceDefaultRef: defaultRef,
    sourceDefaultPath: defaultPath,
    ...(authConnectionId !== undefined && { sourceAuthConnectionId: authConnectionId }),
  };
}

/** True while the base of an update is unchanged since the request. */
export function isOnBase(
  { capsuleId, request }: Pick<RevisionRow, 'capsuleId' | 'request'>,
  ports: BasePorts,
): boolean {
  const capsule = ports.capsules.getRow(capsuleId);
  if (capsule.status === 'destroyed' || capsule.status === 'disabled') return false;
  return canonicalJson(baseOf(capsule, ports)) === canonicalJson(request.revision.base);
}
