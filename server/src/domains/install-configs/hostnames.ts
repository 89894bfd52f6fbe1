import { failedPrecondition } from '#server/kernel/errors';
import type { InstallParts, PublicHostname } from '#shared/install-configs/parts';
import type { OwnerRef } from '#shared/interfaces/contract';
import { type HostnameRules, notProven } from './public-address.ts';

type CapsuleRef = { id: string; workspaceId: string };
type Ports = {
  /** Returns the Capsule whose configuration has a hostname; undefined when it is destroyed. */
  findHolder: (hostname: string) => string | undefined;
  /** Returns the owner for which the operator has proven a hostname. */
  findProvenOwner: (hostname: string) => OwnerRef | undefined;
  /** Returns the hostname of a configuration. */
  findHostname: (installConfigId: string) => PublicHostname | undefined;
  /** Hostnames under which this server itself answers. */
  reserved: readonly string[];
};
export type Hostnames = ReturnType<typeof createHostnames>;

/** Decides which Capsule may have which hostname. One service of the installation has a hostname. */
export function createHostnames({ findHolder, findProvenOwner, findHostname, reserved }: Ports) {
  /** Reports whether a Capsule or its Workspace controls a hostname. */
  function isProven({ id, workspaceId }: CapsuleRef, hostname: string): boolean {
    const owner = findProvenOwner(hostname);
    return owner?.id === id || owner?.id === workspaceId;
  }

  function requireFree(capsule: CapsuleRef, hostname: string): void {
    const holder = findHolder(hostname);
    const isOfOther = holder !== undefined && holder !== capsule.id;
    const isProvenElsewhere = findProvenOwner(hostname) !== undefined && !isProven(capsule, hostname);
    if (!isOfOther && !isProvenElsewhere && !reserved.includes(hostname)) return;
    throw failedPrecondition(
      'app_hostname_unavailable',
      'The hostname of this service belongs to another one. Choose another name or address.',
    );
  }

  return {
    /** Rules for the hostname of one Capsule, which may not exist yet. */
    rulesFor: (capsule: CapsuleRef, boundDomain: string | undefined): HostnameRules => ({
      boundDomain,
      requireFree: (hostname) => requireFree(capsule, hostname),
      isProven: (hostname) => isProven(capsule, hostname),
    }),

    /** Requires that the hostname of a Capsule is still proven before it is planned. 409 `custom_domain_not_verified`. */
    requireProven(capsule: CapsuleRef, { publicHostname }: InstallParts): void {
      if (publicHostname?.isCustom && !isProven(capsule, publicHostname.name)) throw notProven(undefined);
    },

    /** Reports whether a Capsule has a hostname through its configuration: assigned, or its own and proven. */
    hasHostname(capsule: CapsuleRef & { installConfigId: string }, hostname: string): boolean {
      const own = findHostname(capsule.installConfigId);
      return own?.name === hostname && (!own.isCustom || isProven(capsule, hostname));
    },
  };
}
