import { failedPrecondition } from '#server/kernel/errors';
import type { InstallParts } from '#shared/install-configs/parts';

/** Refuses a plan of a module that needs a sign-in for its own users, which this server lacks. 409 `oidc_authority_unavailable`. */
export function requireSupportedParts({ installExperience }: InstallParts): void {
  if (!installExperience?.projections?.some(({ kind }) => kind === 'oidc_client')) return;
  throw failedPrecondition(
    'oidc_authority_unavailable',
    'The module needs a sign-in for its own users, which this server does not support yet. Nothing was run.',
  );
}
