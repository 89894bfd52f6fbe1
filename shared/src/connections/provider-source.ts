/** OpenTofu and Terraform name the same public providers under a registry of their own each. */
const publicRegistries = new Set(['registry.opentofu.org', 'registry.terraform.io']);
const part = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;
const host = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?(?::\d{1,5})?$/u;

/**
 * The provider a text names, the same for both tools: `hashicorp/aws` for `aws`, `hashicorp/aws` and either public
 * registry's address of it, `host/namespace/type` for any other. Undefined for what is no provider.
 */
export function canonicalSource(text: string): string | undefined {
  const parts = text.toLowerCase().split('/');
  const [type = '', namespace = 'hashicorp', hostname] = parts.toReversed();
  if (parts.length > 3 || !part.test(type) || !part.test(namespace)) return undefined;
  if (hostname === undefined || publicRegistries.has(hostname)) return `${namespace}/${type}`;
  return host.test(hostname) ? `${hostname.replace(/:443$/, '')}/${namespace}/${type}` : undefined;
}

export function isSameSource(left: string, right: string): boolean {
  const source = canonicalSource(left);
  return source !== undefined && source === canonicalSource(right);
}

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
