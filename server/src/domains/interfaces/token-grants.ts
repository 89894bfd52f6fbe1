import type { BindingRow, BindingsStore } from './bindings-store.ts';
import { type DeliveryPorts, findDeliveryFault } from './delivery.ts';
import type { InterfaceRow } from './store.ts';

type Deps = {
  bindings: Pick<BindingsStore, 'listLiveOf'>;
  delivery: DeliveryPorts;
  findRow: (id: string) => InterfaceRow | undefined;
};
/** Authority of a token for an Interface. */
export type TokenGrant = {
  workspaceId: string;
  capsuleId?: string | undefined;
  interfaceId: string;
  bindingId: string;
  resolvedRevision: number;
  resource: string;
};
/** The account that calls an Interface with a permission. */
export type TokenCaller = { interfaceId: string; principalId: string; permission: string };

/**
 * Creates the look-up of what an account may call with a token: there is exactly one `oauth2` binding of it with the
 * permission, and everything that makes it ready holds now.
 */
export const createFindTokenGrant =
  ({ bindings, delivery, findRow }: Deps) =>
  ({ interfaceId, principalId, permission }: TokenCaller): TokenGrant | undefined => {
    const row = findRow(interfaceId);
    if (!row || row.resourceUri === null) return undefined;
    const isOf = (binding: BindingRow) =>
      binding.subjectKind === 'Principal' &&
      binding.subjectId === principalId &&
      binding.delivery.type === 'oauth2' &&
      binding.permissions.includes(permission) &&
      findDeliveryFault(row, binding, delivery) === undefined;
    const [binding, ...more] = bindings.listLiveOf(row.id).filter(isOf);
    if (!binding || more.length > 0) return undefined;
    return {
      workspaceId: row.workspaceId,
      ...(row.ownerKind === 'Capsule' && { capsuleId: row.ownerId }),
      interfaceId,
      bindingId: binding.id,
      resolvedRevision: row.resolvedRevision,
      resource: row.resourceUri,
    };
  };
