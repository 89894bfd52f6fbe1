import type { ToolName } from './types.ts';

const registryHosts = { tofu: 'registry.opentofu.org', terraform: 'registry.terraform.io' } as const;
const part = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;
const host = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?(?::\d{1,5})?$/u;

/**
 * Returns the full address of a provider, `<host>/<namespace>/<type>` in lower case, from a source such as `aws`,
 * `hashicorp/aws` or `example.com/acme/cloud`. Undefined when the tool would reject it.
 */
export function canonicalProvider(source: string, toolName: ToolName): string | undefined {
  const parts = source.toLowerCase().split('/');
  const [type, namespace = 'hashicorp', hostname = registryHosts[toolName]] = parts.reverse();
  if (parts.length > 3 || !type || !isPart(type) || !(isPart(namespace) || namespace === '-')) return undefined;
  return host.test(hostname) ? `${hostname.replace(/:443$/, '')}/${namespace}/${type}` : undefined;
}

/**
 * Reports whether a name may be a key of `required_providers` with an object: lower-case letters, digits and single
 * dashes.
 */
export const isLocalName = (name: string): boolean => isPart(name) && name === name.toLowerCase();

const isPart = (text: string): boolean => part.test(text) && !text.includes('--');

/** Returns the provider that an undeclared local name implies. */
export const impliedProvider = (localName: string, toolName: ToolName): string | undefined =>
  localName.toLowerCase() === 'terraform' ? 'terraform.io/builtin/terraform' : canonicalProvider(localName, toolName);

/** Reports whether a provider is built in: it is part of the tool and not installed. */
export const isBuiltIn = (address: string): boolean => address.startsWith('terraform.io/builtin/');

/** Returns the local name that a resource type implies: the part before its first underscore, in lower case. */
export const localNameOfType = (type: string): string => (type.split('_')[0] as string).toLowerCase();
