/** OpenTofu and Terraform name the same public providers, each under its own registry. */
const publicRegistries = new Set(['registry.opentofu.org', 'registry.terraform.io']);
const part = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;
const host = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?(?::\d{1,5})?$/u;

/**
 * Returns the canonical provider, the same for both tools: `hashicorp/aws` for `aws`, `hashicorp/aws` and its address
 * in either public registry, `host/namespace/type` for any other. Undefined for text that is not a provider.
 */
export function canonicalSource(text: string): string | undefined {
  const parts = text.toLowerCase().split('/');
  const [type = '', namespace = 'hashicorp', hostname] = parts.toReversed();
  if (parts.length > 3 || !part.test(type) || !part.test(namespace)) return undefined;
  if (hostname === undefined || publicRegistries.has(hostname)) return `${namespace}/${type}`;
  return host.test(hostname) ? `${hostname.replace(/:443$/, '')}/${namespace}/${type}` : undefined;
}

/**
 * Returns the address of a provider with its host, as records show it: `registry.opentofu.org/hashicorp/aws` for `aws`,
 * with either tool. A given host stays. Undefined for text that is not a provider.
 */
export function sourceAddress(text: string): string | undefined {
  const source = canonicalSource(text);
  if (source === undefined || source.split('/').length === 3) return source;
  const written = text.toLowerCase().split('/');
  return `${written.length === 3 ? written[0] : 'registry.opentofu.org'}/${source}`;
}

export function isSameSource(left: string, right: string): boolean {
  const source = canonicalSource(left);
  return source !== undefined && source === canonicalSource(right);
}
