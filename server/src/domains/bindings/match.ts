import { invalidArgument } from '#server/kernel/errors';
import type { ProviderBinding } from '#shared/bindings/contract';
import { isSameSource } from '#shared/kernel/provider-source';
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

/** The tuple of a binding as the details of an error name it. */
export const tupleOf = ({ provider, moduleLocalName, childAlias }: ProviderBinding) => ({
  provider,
  moduleLocalName,
  ...(childAlias !== undefined && { childAlias }),
});

const isSameTuple = (a: ProviderBinding, b: ProviderBinding): boolean =>
  a.moduleLocalName === b.moduleLocalName && a.childAlias === b.childAlias && isSameSource(a.provider, b.provider);

/** 400 `provider_binding_duplicate` for a provider configuration that is bound twice. `field` points at the list. */
export function refuseRepeats(bindings: readonly ProviderBinding[], field: string): void {
  const at = bindings.findIndex((one, index) => bindings.some((other, n) => n < index && isSameTuple(one, other)));
  const repeated = bindings[at];
  if (!repeated) return;
  throw invalidArgument(
    'provider_binding_duplicate',
    `The provider ${tupleName(repeated)} is bound more than once. Choose one Connection for it.`,
    { field: `${field}/${at}`, ...tupleOf(repeated) },
  );
}

/** 400 `provider_binding_mismatch` for a binding that no provider configuration of the module's root asks for. */
export function refuseStrangers(
  bindings: readonly ProviderBinding[],
  requirements: readonly ProviderRequirement[],
  field: string,
): void {
  const at = bindings.findIndex((binding) => !requirements.some((one) => isBindingOf(binding, one)));
  const stranger = bindings[at];
  if (!stranger) return;
  throw invalidArgument(
    'provider_binding_mismatch',
    `The module has no provider configuration ${tupleName(stranger)} of this provider. Bind those that the check names.`,
    { field: `${field}/${at}`, why: 'tuple', ...tupleOf(stranger) },
  );
}
