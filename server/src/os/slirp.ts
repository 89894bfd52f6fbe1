import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { isImplemented } from '#server/kernel/platforms';

/** Settings for a command's own network; a Run without it shares the network of the host. */
export type Isolation = {
  /** Absolute path of slirp4netns. */
  program: string;
  /** Hardening options of slirp4netns that work on this machine. */
  hardening: readonly string[];
};

export const resolverFile = '/etc/resolv.conf';

/** Returns the resolver file of the host, '' when it does not exist. */
export function readHostResolver(): string {
  try {
    return readFileSync(resolverFile, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Paths at which slirp4netns is searched: fixed ones only, because a person's PATH may name folders others can write
 * to.
 */
export const findSlirp = (): string | undefined =>
  isImplemented('network')
    ? ['/usr/bin/slirp4netns', '/usr/local/bin/slirp4netns', '/bin/slirp4netns'].find((file) => existsSync(file))
    : undefined;

/** Returns an environment without data of a Run and without variables that would make it log or write elsewhere. */
export const slirpEnvironment = (): { [name: string]: string } => ({ LC_ALL: 'C' });

/** The largest frame that a tap device accepts (slirp4netns(1)); small ones cost a system call each. */
const mtu = 65_520;
export const tapName = 'tap0';

type SlirpRequest = {
  /** Pid of a process of the namespace, while it still is in the user namespace that owns it. */
  pid: number;
  range: Range;
  hardening: readonly string[];
  /** Descriptors in slirp4netns: it writes to `ready` when the interface is up and ends when `leash` is hung up. */
  fds: { ready: number; leash: number };
};

/**
 * Returns the arguments of slirp4netns(1) for one network namespace. It has no API socket, and no connection to the
 * loopback addresses of the host. IPv6 is left out: its address arrives a second after the interface, and is the same
 * in every namespace.
 */
export const slirpArgv = ({ pid, range, hardening, fds }: SlirpRequest): string[] => [
  ...['--configure', '--mtu', String(mtu), '--cidr', range.cidr, '--disable-host-loopback', ...hardening],
  ...['--ready-fd', String(fds.ready), '--exit-fd', String(fds.leash), String(pid), tapName],
];

/**
 * Returns hardening options, the strictest first: a mount namespace with only `/etc` and `/run`, and a filter of system
 * calls. The first cannot see a resolver file at another path, and then no name would resolve.
 */
export function hardenings(resolver = resolverFile): (readonly string[])[] {
  const sandbox = ['--enable-sandbox'];
  const seccomp = ['--enable-seccomp'];
  return isBelow(resolver, ['/etc/', '/run/']) ? [[...sandbox, ...seccomp], sandbox, seccomp, []] : [seccomp, []];
}

function isBelow(file: string, folders: readonly string[]): boolean {
  try {
    const real = realpathSync(file);
    return folders.some((folder) => real.startsWith(folder));
  } catch {
    return true;
  }
}

/**
 * Reports whether the library forwards its name server's address only for port 53 (since libslirp 4.3.0). Earlier
 * versions forward every port of that address to the resolver's host, which is the loopback address of this machine
 * when a resolver runs here.
 */
export function isNameServerConfined(version: string): boolean {
  const [, major, minor] = /^libslirp:\s*(\d+)\.(\d+)/m.exec(version) ?? [];
  if (major === undefined) return false;
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 3);
}

/** Addresses of a namespace: `.2` is the gateway, `.3` the name server, `.100` the command. */
export type Range = { cidr: string; nameServer: string };

/**
 * Bases of /24 networks that real hosts rarely have, so that a private network that a module uses is not hidden by
 * ours. The first is reserved for benchmarks (RFC 2544).
 */
const bases = ['198.18.107', '10.107.254', '172.31.254', '192.168.254'];

/** Returns a range that no interface of the host overlaps. */
export function freeRange(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): Range {
  const taken = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family }) => family === 'IPv4');
  const isFree = (base: string): boolean => !taken.some((item) => overlaps(`${base}.0`, item));
  const base = bases.find(isFree) ?? (bases[0] as string);
  return { cidr: `${base}.0/24`, nameServer: `${base}.3` };
}

function overlaps(network: string, { address, netmask }: Pick<NetworkInterfaceInfo, 'address' | 'netmask'>): boolean {
  const mask = numberOf(netmask) & numberOf('255.255.255.0');
  return (numberOf(network) & mask) === (numberOf(address) & mask);
}

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => (sum << 8) | Number(part), 0);

/** Reports whether the host speaks IPv4. A namespace of ours would cut off an IPv6-only host. */
export function speaksIpv4(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): boolean {
  const outer = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return outer.length === 0 || outer.some(({ family }) => family === 'IPv4');
}

/** Reports whether a name server of the host has an IPv4 address: queries are forwarded to the first IPv4 one. */
export function hasReachableNameServer(resolvConf: string): boolean {
  const servers = [...resolvConf.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((match) => match[1] ?? '');
  return servers.length === 0 || servers.some((server) => isIPv4(server));
}

/**
 * Returns the resolver file of a namespace (resolv.conf(5)): our own name server, with the search list and the options
 * of the host's. It works for any resolver of the host, even on a loopback address, because queries are sent from the
 * host.
 */
export function resolverFor({ nameServer }: Range, hostResolvConf: string): string {
  const optionLines = hostResolvConf.split('\n').filter((line) => /^\s*(?:search|domain|options)\s/.test(line));
  return [`nameserver ${nameServer}`, ...optionLines.map((line) => line.trim()), ''].join('\n');
}
