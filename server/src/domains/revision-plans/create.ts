import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import { canonicalJson, hmacHex } from '#server/kernel/digest';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import { type BasePorts, baseOf } from './base.ts';
import type { RevisionRow } from './store.ts';

export type CreateRevisionPorts = BasePorts & {
  vault: Pick<Vault, 'installationKey'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  sources: Pick<SourcesService, 'requireLane' | 'getSource' | 'findAuthConnection'>;
  bindings: Pick<ProviderBindingsService, 'listBindings'>;
};
export type CreateRevisionInput = { capsuleId: string; actorId: string; key: string; ref: string };

export const requestDigestOf = (
  { vault }: CreateRevisionPorts,
  { capsuleId, ref }: Pick<CreateRevisionInput, 'capsuleId' | 'ref'>,
): string => `sha256:${hmacHex(vault.installationKey('revision-plan-digest'), canonicalJson({ capsuleId, ref }))}`;

/** Checks an update in this order: the ref, the Capsule, its Source, and whether it was ever applied. */
export function requestOf(ports: CreateRevisionPorts, capsule: CapsuleRow, ref: string): RevisionRow['request'] {
  const { path } = laneOf(ports, capsule);
  ports.sources.requireLane({ ref, path }, { ref: '/ref', path: '/ref' });
  ports.workspaces.requireLive(capsule.workspaceId);
  if (capsule.status === 'destroyed')
    throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Install the module again.');
  const source = ports.sources.getSource(capsule.sourceId);
  if (source.status === 'disabled')
    throw failedPrecondition('source_disabled', 'This Source is disabled. Set its status to active first.');
  if (capsule.currentStateVersionId === null)
    throw failedPrecondition('capsule_never_applied', 'This Capsule was never applied. Plan and apply it first.');
  const { name, url, authConnectionId } = source;
  const { modulePath } = ports.configs.getPrivate(capsule.installConfigId);
  return {
    source: { name, url, ref, path, ...(authConnectionId !== undefined && { authConnectionId }) },
    capsule: { name: capsule.name, environment: capsule.environment },
    options: { modulePath },
    revision: { targetRef: ref, base: baseOf(capsule, ports) },
    sourceId: capsule.sourceId,
    installModulePath: modulePath,
  };
}

/** Refuses another ref from a role that may only propose, when the Capsule or its Source uses credentials. 403 `forbidden`. */
export function requireOwnLane(ports: CreateRevisionPorts, capsuleId: string, ref: string): void {
  const capsule = ports.capsules.getRow(capsuleId);
  const isBound = ports.bindings.listBindings(capsuleId).length > 0;
  if (laneOf(ports, capsule).ref === ref) return;
  if (!isBound && ports.sources.findAuthConnection(capsule.sourceId) === undefined) return;
  throw new AppError(
    'forbidden',
    'Your role lets you plan this Capsule only from the ref it follows, because Connections are used. Ask an owner or admin.',
  );
}

const laneOf = ({ configs }: Pick<CreateRevisionPorts, 'configs'>, capsule: CapsuleRow) =>
  capsule.adoptedSourceRevision ?? configs.getPrivate(capsule.installConfigId).provenance;
