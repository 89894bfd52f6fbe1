import type { BindingReason } from '#shared/interfaces/reasons';
import type { BindingRow } from './bindings-store.ts';
import { isClaimable } from './resource-uri.ts';
import type { InterfaceRow } from './store.ts';

export type DeliveryPorts = {
  /** Reports whether this server issues tokens. */
  hasIssuer: () => boolean;
  /** Reports whether the owner of the Interface has proof that it controls the host of its resource. */
  hasProof: (row: InterfaceRow, uri: string) => boolean;
  /** Reports whether the owner of the Interface holds the claim of its resource. */
  holdsClaim: (row: InterfaceRow, uri: string) => boolean;
};

/** Returns why a binding cannot be used now; undefined when it is ready. */
export function findDeliveryFault(
  row: InterfaceRow,
  { delivery, subjectKind }: Pick<BindingRow, 'delivery' | 'subjectKind'>,
  ports: DeliveryPorts,
): BindingReason | undefined {
  if (row.phase !== 'Resolved') return 'InterfaceNotReady';
  if (delivery.type !== 'none' && delivery.type !== 'oauth2') return 'UnsupportedDelivery';
  if (delivery.credentialRef !== undefined || delivery.options !== undefined) return 'UnsupportedDeliveryConfiguration';
  return delivery.type === 'none' ? undefined : findOAuthFault(row, subjectKind, ports);
}

function findOAuthFault(
  row: InterfaceRow,
  subjectKind: BindingRow['subjectKind'],
  { hasIssuer, hasProof, holdsClaim }: DeliveryPorts,
): BindingReason | undefined {
  const uri = row.resourceUri ?? undefined;
  if (!hasIssuer() || !isClaimable(uri)) return 'OAuthResourceUnavailable';
  // Tokens are issued to the account that calls, so only an account can have them delivered.
  if (subjectKind !== 'Principal') return 'OAuthResourceUnauthorized';
  if (!hasProof(row, uri)) return 'OAuthResourceAuthorityUnavailable';
  return holdsClaim(row, uri) ? undefined : 'OAuthResourceConflict';
}
