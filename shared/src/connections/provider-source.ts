import { canonicalSource, isSameSource } from '../kernel/provider-source.ts';

/** Whether a recipe is made for a provider; `*` is made for every one. */
export const recipeFits = (
  { terraformSource }: { terraformSource: readonly string[] | '*' },
  source: string,
): boolean => terraformSource === '*' || terraformSource.some((one) => isSameSource(one, source));

/** Arguments that a recipe serves and that a provider of it does not have in its block. */
const missingArguments: Readonly<Record<string, readonly string[]>> = {
  'hashicorp/azuread': ['subscription_id'],
  // Its cluster is described by a nested block, which no single argument fills.
  'hashicorp/helm': ['host', 'token', 'cluster_ca_certificate'],
};

/** Whether the block of a provider has an argument that its recipe serves. */
export const takesArgument = (source: string, argument: string): boolean =>
  !missingArguments[canonicalSource(source) ?? '']?.includes(argument);
