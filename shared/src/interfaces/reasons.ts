/** Reasons why an Interface is not resolved. */
export const interfaceReasons = [
  'InvalidResolvedInputs',
  'InvalidResourceUri',
  'OwnerNotReady',
  'OwnerDestroyQueued',
  'PolicyDenied',
  'UnsupportedPolicy',
  'RunFailed',
  'ResolverUnavailable',
] as const;
export type InterfaceReason = (typeof interfaceReasons)[number];

/** Reasons why an InterfaceBinding is not ready. */
export const bindingReasons = [
  'InterfaceNotReady',
  'UnsupportedDelivery',
  'UnsupportedDeliveryConfiguration',
  'OAuthResourceUnavailable',
  'OAuthResourceAuthorityUnavailable',
  'OAuthResourceUnauthorized',
  'OAuthResourceClaimPending',
  'OAuthResourceConflict',
  'DeliveryHandlerFailed',
] as const;
export type BindingReason = (typeof bindingReasons)[number];

/** Reasons why an Interface of an installation could not be made. */
export const materializationErrors = [
  'interface_name_conflict',
  'installing_principal_unavailable',
  'subject_unavailable',
  'interface_document_refused',
  'ledger_unavailable',
] as const;
export type MaterializationError = (typeof materializationErrors)[number];
