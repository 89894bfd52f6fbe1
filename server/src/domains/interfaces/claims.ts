import type { Clock } from '#server/kernel/clock';
import type { ClaimsStore } from './claims-store.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';

type Owner = Pick<InterfaceRow, 'workspaceId' | 'ownerKind' | 'ownerId'>;
type Deps = { clock: Clock; claims: ClaimsStore; store: Pick<InterfacesStore, 'listClaiming'> };

const isSameOwner = (one: Owner, other: Owner): boolean =>
  one.workspaceId === other.workspaceId && one.ownerKind === other.ownerKind && one.ownerId === other.ownerId;

/** The claims of resource URIs. One owner of the installation holds a URI; the next claimant waits for its end. */
export function createClaims({ clock, claims, store }: Deps) {
  const take = (uri: string, { workspaceId, ownerKind, ownerId }: Owner): void =>
    claims.insert({ uri, workspaceId, ownerKind, ownerId, createdAt: clock.now() });

  /**
   * Releases the URI that an Interface no longer claims, after its row was changed. Returns the Interfaces whose
   * bindings depend on the new holder.
   */
  function release(uri: string, owner: Owner): InterfaceRow[] {
    const held = claims.find(uri);
    if (!held || !isSameOwner(held, owner)) return [];
    const claiming = store.listClaiming(uri);
    if (claiming.some((row) => isSameOwner(row, owner))) return [];
    claims.delete(held);
    const [next] = claiming;
    if (next) take(uri, next);
    return claiming;
  }

  return {
    take,
    release,
    holds: (owner: Owner, uri: string): boolean => {
      const held = claims.find(uri);
      return held !== undefined && isSameOwner(held, owner);
    },
  };
}
export type Claims = ReturnType<typeof createClaims>;
