import { invalidArgument } from '#server/kernel/errors';
import { isSameSource } from '#shared/kernel/provider-source';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import type { ProviderRequirement } from '#shared/runs/provider-resolution';

export const isBindingOf = (
  binding: Pick<ProviderBinding, 'provider' | 'moduleLocalName' | 'childAlias'>,
  requirement: Pick<ProviderRequirement, 'providerSource' | 'providerName' | 'alias'>,
): boolean =>
  binding.moduleLocalName === requirement.providerName &&
  binding.childAlias === requirement.alias &&
  isSameSource(binding.provider, requirement.providerSource);

/** A provider configuration as a module refers to it: `aws`, `aws.west`. */
export const tupleName = ({ moduleLocalName, childAlias }: Pick<ProviderBinding, 'moduleLocalName' | 'childAlias'>) =>
  childAlias === undefined ? moduleLocalName : `${moduleLocalName}.${childAlias}`;

const isSameTuple = (a: ProviderBinding, b: ProviderBinding): boolean =>
  a.moduleLocalName === b.moduleLocalName && a.childAlias === b.childAlias && isSameSource(a.provider, b.provider);

/**
 * Throws 400 `provider_binding_duplicate` for a provider configuration that is bound twice. `field` points at the list.
 */
export function refuseRepeats(bindings: readonly ProviderBinding[], field: string): void {
  const at = bindings.findIndex((one, index) => bindings.some((other, n) => n < index && isSameTuple(one, other)));
  if (at < 0) return;
  throw invalidArgument(
    'provider_binding_duplicate',
    'A provider configuration is bound more than once. Choose one Connection for it.',
    { field: `${field}/${at}` },
  );
}

/** Throws 400 `provider_binding_mismatch` for a binding that matches no provider configuration of the root module. */
export function refuseStrangers(
  bindings: readonly ProviderBinding[],
  requirements: readonly ProviderRequirement[],
  field: string,
): void {
  const at = bindings.findIndex((binding) => !requirements.some((one) => isBindingOf(binding, one)));
  if (at < 0) return;
  throw invalidArgument(
    'provider_binding_mismatch',
    'The module has no such provider configuration. Bind those that the compatibility report lists.',
    { field: `${field}/${at}`, why: 'tuple' },
  );
}
