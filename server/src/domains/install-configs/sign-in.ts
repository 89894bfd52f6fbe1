import type { InstallParts } from '#shared/install-configs/parts';
import type { Projection } from '#shared/install-configs/presentation';

/** The sign-in that a configuration asks for: variables for its values, the path of the callback, and scopes. */
export type SignInProjection = Extract<Projection, { kind: 'oidc_client' }>;

export const findSignIn = ({ installExperience }: InstallParts): SignInProjection | undefined =>
  installExperience?.projections?.find((one) => one.kind === 'oidc_client');

/** Names of the variables that each plan sets to the values of the sign-in. */
export const signInNames = (parts: InstallParts = {}): string[] => Object.values(findSignIn(parts)?.variables ?? {});
