import { failedPrecondition } from '#server/kernel/errors';
import type { InstallParts } from '#shared/install-configs/parts';

/**
 * Refuses a plan of a module that needs a feature that this server lacks: a sign-in for its own users, or an Interface of the Workspace.
 * 409 `oidc_authority_unavailable`, `required_interface_missing`.
 */
export function requireSupportedParts({ installExperience, requiredInterfaces = [] }: InstallParts): void {
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
}
