import { failedPrecondition } from '#server/kernel/errors';
import type { InstallParts } from '#shared/configs/parts';

/**
 * Nothing runs for a Capsule whose module counts on a part of the host that this server does not have: a sign-in for its
 * own users, or an Interface of the Workspace. 409 `oidc_authority_unavailable`, `required_interface_missing`.
 */
export function requireServed({ installExperience, requiredInterfaces = [] }: InstallParts): void {
  if (installExperience?.projections?.some(({ kind }) => kind === 'oidc_client')) {
    throw failedPrecondition(
      'oidc_authority_unavailable',
      'The module wants a sign-in for its own users, which this server cannot give it yet. Nothing was run.',
    );
  }
  const [first] = requiredInterfaces;
  if (!first) return;
  throw failedPrecondition(
    'required_interface_missing',
    'The module uses an Interface of the Workspace, and there is none of its type and version. Nothing was run.',
  );
}
