import { canonicalSource, isSameSource } from '../kernel/provider-source.ts';

/** Reports whether a recipe applies to a provider; `*` applies to every provider. */
export const recipeFits = (
  { terraformSource }: { terraformSource: readonly string[] | '*' },
  source: string,
): boolean => terraformSource === '*' || terraformSource.some((one) => isSameSource(one, source));

/** Arguments that a recipe supports but that one of its providers does not have in its block. */
const missingArguments: Readonly<Record<string, readonly string[]>> = {
  'hashicorp/azuread': ['subscription_id'],
  // A nested block describes the cluster; no single argument sets it.
  'hashicorp/helm': ['host', 'token', 'cluster_ca_certificate'],
};

/** Reports whether the provider block has an argument that its recipe supports. */
export const takesArgument = (source: string, argument: string): boolean =>
  !missingArguments[canonicalSource(source) ?? '']?.includes(argument);
