import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { InstallParts } from '#shared/install-configs/parts';

/**
 * Refuses a plan of a module that needs a feature that this server lacks: a sign-in for its own users, or an Interface of the Workspace.
 * Interfaces that the module offers refuse only the first plan. 409 `oidc_authority_unavailable`, `required_interface_missing`, 503
 * `feature_unavailable`.
 */
export function requireSupportedParts(parts: InstallParts, isInstalled: boolean): void {
  const { installExperience, requiredInterfaces = [] } = parts;
  if (installExperience?.projections?.some(({ kind }) => kind === 'oidc_client')) {
    throw failedPrecondition(
      'oidc_authority_unavailable',
      'The module needs a sign-in for its own users, which this server does not support yet. Nothing was run.',
    );
  }
  if (requiredInterfaces.length > 0)
    throw failedPrecondition(
      'required_interface_missing',
      'The module needs an Interface of the Workspace, and none has its type and version. Nothing was run.',
    );
  if (isInstalled || !offersInterfaces(parts)) return;
  throw new AppError(
    'feature_unavailable',
    'The module offers Interfaces, which are not part of this version yet. Nothing was run.',
  );
}

/** True when the module offers Interfaces, which this version does not create. */
export const offersInterfaces = ({ interfaceBlueprints = [] }: InstallParts): boolean => interfaceBlueprints.length > 0;
