import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { classifyHost, isPublicAddress } from '#shared/sources/network-address';
import { WebhookError } from './webhook-error.ts';

export type Address = { address: string; family: number };

/** Returns the addresses of a name; empty when it has none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<Address[]>;

/** Hosts that the operator exempts from the rules for addresses, in lower case. */
export type ExemptHosts = readonly string[];

const plainName = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

export const isExempt = (hostname: string, exempt: ExemptHosts): boolean => exempt.includes(plainName(hostname));

/** Reports whether a host may be named at all. A name is checked again by each of its addresses when it is connected to. */
export function mayName(hostname: string, exempt: ExemptHosts): boolean {
  const name = plainName(hostname);
  if (isExempt(name, exempt)) return classifyHost(name) !== 'refused';
  return isIP(name) === 0 ? classifyHost(name) === 'ordinary' && name.includes('.') : isPublicAddress(name);
}

/**
 * Returns the addresses to connect to. All of them were checked and no name is resolved afterwards, so a name cannot
 * change between check and connect. Throws `address_refused` or `name_not_resolved`.
 */
export async function findAddresses(
  hostname: string,
  { exempt, resolve, signal }: { exempt: ExemptHosts; resolve: Resolve; signal: AbortSignal },
): Promise<Address[]> {
  const name = plainName(hostname);
  const family = isIP(name);
  const isFree = isExempt(name, exempt);
  const found =
    family === 0
      ? await resolveName(name, { resolve: isFree ? resolveLocally : resolve, signal })
      : [{ address: name, family }];
  // An exemption is for the operator's own networks; metadata, link-local and multicast addresses never receive anything.
  const isAllowed = ({ address }: Address) => (isFree ? classifyHost(address) !== 'refused' : isPublicAddress(address));
  if (!found.every(isAllowed)) throw new WebhookError('address_refused');
  return found;
}

async function resolveName(
  name: string,
  { resolve, signal }: { resolve: Resolve; signal: AbortSignal },
): Promise<Address[]> {
  const found = await resolve(name, signal).catch(() => []);
  if (found.length === 0) throw new WebhookError('name_not_resolved');
  return found;
}

/** Resolves as every other program of this machine does, with its file of hosts. */
const resolveLocally: Resolve = (name) => systemLookup(name, { all: true });

/**
 * Asks the name servers of this machine. The lookup of the system would occupy one of the few threads of this process
 * for as long as a name server does not answer; this one can be cancelled.
 */
export const resolvePublicly: Resolve = async (name, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};
