import type { CapsuleRow } from '#server/domains/capsules/index';
import { findBlueprintProblem, type PrivateConfig } from '#server/domains/install-configs/index';
import type { InterfacesDomain } from '#server/domains/interfaces/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, failedPrecondition, invalidArgument } from '#server/kernel/errors';
import type { PlanConfiguration } from '#shared/configuration-plans/api';
import type { InstallParts } from '#shared/install-configs/parts';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';

export type BlueprintPorts = {
  workspaces: Pick<WorkspacesService, 'findRoles'>;
  interfaces: Pick<InterfacesDomain, 'requireSubject'>;
};
type BlueprintsInput = { capsule: CapsuleRow; current: PrivateConfig; body: PlanConfiguration; actorId: string };

/** Parts of the successor, and the account that its Interfaces are installed for. */
type Replaced = { parts: InstallParts; installer: { installerId?: string } };

/**
 * Replaces the Interfaces of a configuration. The account that changes them is the installing principal of the new ones. The same set
 * keeps the principal while that account is a member. Throws 400 `secret_like_value` and `invalid_request`, 404 for an unknown subject,
 * and 409 `capsule_configuration_installing_principal_unavailable`.
 */
export function replaceBlueprints(
  ports: BlueprintPorts,
  { capsule, current, body, actorId }: BlueprintsInput,
): Replaced {
  const { interfaceBlueprints: previous = [], ...rest } = current.parts;
  const blueprints = body.interfaceBlueprints as InterfaceBlueprint[];
  const parts = { ...rest, ...(blueprints.length > 0 && { interfaceBlueprints: blueprints }) };
  const isMember = (id: string) => ports.workspaces.findRoles(capsule.workspaceId, id) !== undefined;
  const { installerId } = current.provenance;
  const isSame = jsonDigest(blueprints) === jsonDigest(previous);
  const keepsInstaller = isSame && (installerId === undefined || isMember(installerId));
  if (blueprints.length === 0 || keepsInstaller) return { parts, installer: {} };
  if (!isSame) requireSound(ports, { workspaceId: capsule.workspaceId, parts, allOutputs: current.allOutputs });
  if (bindsInstaller(blueprints) && !isMember(actorId))
    throw failedPrecondition(
      'capsule_configuration_installing_principal_unavailable',
      'An Interface is bound to the installing account, and you are not a member of this Workspace. Ask to be added.',
    );
  return { parts, installer: { installerId: actorId } };
}

type Sound = { workspaceId: string; parts: InstallParts; allOutputs: boolean };

function requireSound({ interfaces }: BlueprintPorts, { workspaceId, parts, allOutputs }: Sound): void {
  const problem = findBlueprintProblem(parts, allOutputs);
  if (problem) {
    const { code, pointer: field, message } = problem;
    if (code === 'secret_like_value') throw invalidArgument('secret_like_value', message, { field });
    throw new AppError('invalid_request', `The member ${field} is not valid. ${message}`, { details: { field } });
  }
  for (const { bindings = [] } of parts.interfaceBlueprints ?? [])
    for (const { subjectRef } of bindings) if (subjectRef) interfaces.requireSubject(subjectRef, workspaceId);
}

const bindsInstaller = (blueprints: readonly InterfaceBlueprint[]): boolean =>
  blueprints.some(({ bindings = [] }) => bindings.some(({ subject }) => subject !== undefined));
