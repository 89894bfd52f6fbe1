import { oidcScopes } from '#shared/issuer/contract';
import type { PolicyConfig } from '#shared/workspaces/contract';

/** Operator's limits on repository manifests. */
export type ManifestPolicy = NonNullable<PolicyConfig['repositoryInstallUx']>;
type Request = { permissions: readonly string[]; deliveryType: string };
type Profile = { permissions: readonly string[]; deliveryType: string };

/** Default limits when no policy is set. */
const genericProfiles: readonly Profile[] = [
  { permissions: ['ui.open'], deliveryType: 'none' },
  { permissions: ['mcp.invoke'], deliveryType: 'oauth2' },
];

/** Returns the first part of a binding request that some policy does not allow; undefined when all policies allow it. */
export function findBindingFault(
  request: Request,
  policies: readonly ManifestPolicy[],
): 'permission' | 'delivery' | undefined {
  const faults = (policies.length > 0 ? policies : [undefined]).map((policy) => faultUnder(request, policy));
  return faults.find((fault) => fault !== undefined);
}

function faultUnder(request: Request, policy: ManifestPolicy | undefined): 'permission' | 'delivery' | undefined {
  const { permissions, deliveryType } = request;
  const profiles = profilesOf(policy, request);
  const isWithin = (profile: Profile) => permissions.every((one) => profile.permissions.includes(one));
  const allowed = policy?.allowedInterfacePermissions;
  if ((allowed && !permissions.every((one) => allowed.includes(one))) || !profiles.some(isWithin)) return 'permission';
  const isDelivered = policy?.allowedInterfaceDeliveryTypes?.includes(deliveryType) ?? true;
  return isDelivered && profiles.some((one) => isWithin(one) && one.deliveryType === deliveryType)
    ? undefined
    : 'delivery';
}

/**
 * Returns the allowed profiles. A policy that lists deliveries and no profiles allows each delivery with all its
 * permissions.
 */
function profilesOf(policy: ManifestPolicy | undefined, { permissions }: Request): readonly Profile[] {
  const { allowedInterfaceBindingProfiles: profiles, allowedInterfaceDeliveryTypes: types } = policy ?? {};
  return profiles ?? types?.map((deliveryType) => ({ permissions, deliveryType })) ?? genericProfiles;
}

/** Reports whether a sign-in scope exists and is allowed: at least one policy has a list, and every list names it. */
export function isScopeAllowed(scope: string, policies: readonly ManifestPolicy[]): boolean {
  if (!oidcScopes.some((one) => one === scope)) return false;
  const lists = policies.flatMap(({ allowedOidcScopes }) => (allowedOidcScopes ? [allowedOidcScopes] : []));
  return lists.length > 0 && lists.every((list) => list.includes(scope));
}
