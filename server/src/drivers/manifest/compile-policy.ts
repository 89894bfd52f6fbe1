import type { PolicyConfig } from '#shared/workspaces/contract';

/** What an operator allows the manifests of repositories. */
export type ManifestPolicy = NonNullable<PolicyConfig['repositoryInstallUx']>;
type Request = { permissions: readonly string[]; deliveryType: string };
type Profile = { permissions: readonly string[]; deliveryType: string };

/** What is allowed where no policy says anything (Manifest 2.8). */
const genericProfiles: readonly Profile[] = [
  { permissions: ['ui.open'], deliveryType: 'none' },
  { permissions: ['mcp.invoke'], deliveryType: 'oauth2' },
];

/** What a request for a binding asks for too much; with several policies each has to allow it. */
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

/** A policy that lists deliveries and no profiles lets each of them carry all that it permits. */
function profilesOf(policy: ManifestPolicy | undefined, { permissions }: Request): readonly Profile[] {
  const { allowedInterfaceBindingProfiles: profiles, allowedInterfaceDeliveryTypes: types } = policy ?? {};
  return profiles ?? types?.map((deliveryType) => ({ permissions, deliveryType })) ?? genericProfiles;
}

/** Scopes of a sign-in need a list that names them, and every list that there is has to. */
export function isScopeAllowed(scope: string, policies: readonly ManifestPolicy[]): boolean {
  const lists = policies.flatMap(({ allowedOidcScopes }) => (allowedOidcScopes ? [allowedOidcScopes] : []));
  return lists.length > 0 && lists.every((list) => list.includes(scope));
}
