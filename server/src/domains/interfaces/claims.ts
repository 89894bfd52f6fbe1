import type { Clock } from '#server/kernel/clock';
import type { ClaimsStore } from './claims-store.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';

export type Owner = Pick<InterfaceRow, 'workspaceId' | 'ownerKind' | 'ownerId'>;
type Deps = {
  clock: Clock;
  claims: ClaimsStore;
  store: Pick<InterfacesStore, 'listClaiming'>;
  /** Reports whether an owner has proof that it controls the host of a URI. */
  hasProof: (owner: Owner, uri: string) => boolean;
};

const isSameOwner = (one: Owner, other: Owner): boolean =>
  one.workspaceId === other.workspaceId && one.ownerKind === other.ownerKind && one.ownerId === other.ownerId;

/**
 * The claims of resource URIs. One owner of the installation holds a URI; the next claimant waits for its end. An owner
 * with proof of the host does not wait for one without it.
 */
export function createClaims({ clock, claims, store, hasProof }: Deps) {
  const insert = (uri: string, { workspaceId, ownerKind, ownerId }: Owner): void =>
    claims.insert({ uri, workspaceId, ownerKind, ownerId, createdAt: clock.now() });

  /**
   * Takes a URI that is free, or whose holder has no proof while this owner has one. Returns the Interfaces whose
   * bindings depend on the new holder when it was taken from another owner.
   */
  function take(uri: string, owner: Owner): InterfaceRow[] {
    insert(uri, owner);
    const held = claims.find(uri);
    if (!held || isSameOwner(held, owner) || hasProof(held, uri) || !hasProof(owner, uri)) return [];
    claims.delete(held);
    insert(uri, owner);
    return store.listClaiming(uri);
  }

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
    const next = claiming.find((row) => hasProof(row, uri)) ?? claiming[0];
    if (next) insert(uri, next);
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
