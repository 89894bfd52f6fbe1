import { domainToASCII } from 'node:url';
import { splitSub } from './sub-folder.ts';

/** A module of a registry. `host` is in its ASCII form, with a port other than 443. */
export type RegistryAddress = {
  kind: 'registry';
  host: string;
  namespace: string;
  name: string;
  system: string;
  sub: string;
};

export const defaultRegistryHost = 'registry.opentofu.org';

const namePattern = /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/;
const systemPattern = /^[0-9a-z]{1,64}$/;
/** Hosts that the tool reserves for repositories. */
const reserved = new Set(['github.com', 'bitbucket.org']);

/** Parses `[host/]namespace/name/system[//sub]`. Returns undefined for any other text, which is another address then. */
export function parseRegistryAddress(text: string): RegistryAddress | undefined {
  const { address, sub } = splitSub(text);
  const parts = address.split('/');
  if (parts.length !== 3 && parts.length !== 4) return undefined;
  const host = parts.length === 4 ? hostOf(parts.shift() ?? '') : defaultRegistryHost;
  const [namespace = '', name = '', system = ''] = parts;
  if (host === undefined || !namePattern.test(namespace) || !namePattern.test(name) || !systemPattern.test(system)) {
    return undefined;
  }
  return { kind: 'registry', host, namespace, name, system, sub };
}

/**
 * Returns the ASCII form of a registry host, or undefined when it is not one: it has a dot, is not in Punycode, and may
 * have a port.
 */
export function hostOf(text: string): string | undefined {
  const [, name = '', port] = /^([^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (name === '' || name.split('.').some((label) => label === '' || /^xn--/i.test(label))) return undefined;
  const ascii = domainToASCII(name);
  if (!ascii.includes('.') || reserved.has(ascii) || Number(port ?? 0) > 65_535) return undefined;
  return port === undefined || Number(port) === 443 ? ascii : `${ascii}:${Number(port)}`;
}

/** Returns the address of a registry module as the registry names it: `namespace/name/system`. */
export const registryName = ({ namespace, name, system }: RegistryAddress): string => `${namespace}/${name}/${system}`;
