/** Class of an address: `refused` covers link-local, metadata, unspecified, multicast and reserved addresses. */
type AddressKind = 'ordinary' | 'loopback' | 'refused';

/** Metadata services that answer outside the link-local blocks (AWS and Google over IPv6, Alibaba, Azure). */
const metadataAddresses = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2:0:0:0:0:0:254',
  'fd20:ce:0:0:0:0:0:254',
]);
const metadataNames = new Set(['metadata.google.internal', 'metadata.goog']);

/**
 * Classifies a host as the WHATWG URL parser prints it: a name, a dotted IPv4 address, or an IPv6 address with or
 * without brackets. A name other than `localhost` is ordinary until it is resolved: classify each address as well.
 * Blocks: RFC 6890 special-purpose registries, RFC 5771 and RFC 4291 multicast.
 */
export function classifyHost(host: string): AddressKind {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  const v4 = parseIpv4(name);
  if (v4) return classifyIpv4(v4);
  if (name.includes(':')) return classifyIpv6(name);
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback';
  return metadataNames.has(name) ? 'refused' : 'ordinary';
}

/** IPv4 networks that no public host has (RFC 6890, RFC 5737, RFC 2544), beyond those that `classifyHost` refuses. */
const privateNetworks: readonly (readonly [network: number, bits: number])[] = [
  [0x0a000000, 8],
  [0x64400000, 10],
  [0xac100000, 12],
  [0xc0000200, 24],
  [0xc0586300, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
];

/**
 * Reports whether an address belongs to a host of the public internet. Private networks, carrier-grade NAT, the ranges
 * of documentation and tests, and translated forms of all of them are not.
 */
export function isPublicAddress(address: string): boolean {
  const text = address.replace(/^\[|\]$/g, '');
  if (classifyHost(text) !== 'ordinary') return false;
  const v4 = parseIpv4(text);
  if (v4) return isPublicIpv4(v4);
  const groups = parseIpv6(text);
  if (!groups) return false;
  const inner = embeddedIpv4(groups);
  if (inner) return isPublicIpv4(inner);
  const [first = 0, second = 0] = groups;
  // Global unicast (2000::/3) without the protocol block 2001::/23, documentation and 3fff::/20.
  if (first >> 13 !== 1) return false;
  return !((first === 0x2001 && (second < 0x200 || second === 0xdb8)) || (first === 0x3fff && second < 0x1000));
}

function isPublicIpv4(parts: readonly number[]): boolean {
  const value = parts.reduce((sum, part) => sum * 256 + part, 0);
  return privateNetworks.every(
    ([network, bits]) => Math.floor(value / 2 ** (32 - bits)) !== network / 2 ** (32 - bits),
  );
}

function parseIpv4(text: string): number[] | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  return parts.every((part) => part <= 255) ? parts : undefined;
}

function classifyIpv4(parts: readonly number[]): AddressKind {
  const [a = 0, b = 0, c = 0] = parts;
  if (a === 127) return 'loopback';
  const linkLocal = a === 169 && b === 254;
  // 192.0.0.0/24 is for protocols (RFC 6890); a metadata service of Oracle answers in it.
  const isProtocol = a === 192 && b === 0 && c === 0;
  if (a === 0 || a >= 224 || linkLocal || isProtocol || metadataAddresses.has(parts.join('.'))) return 'refused';
  return 'ordinary';
}

function classifyIpv6(text: string): AddressKind {
  const groups = parseIpv6(text);
  if (!groups) return 'refused';
  const inner = embeddedIpv4(groups);
  if (inner) return classifyIpv4(inner);
  const [first = 0] = groups;
  const isLow = groups.slice(0, 7).every((group) => group === 0);
  if (isLow && groups[7] === 1) return 'loopback';
  const linkLocal = (first & 0xffc0) === 0xfe80;
  const multicast = (first & 0xff00) === 0xff00;
  const isMetadata = metadataAddresses.has(groups.map((group) => group.toString(16)).join(':'));
  return isLow || linkLocal || multicast || isMetadata || isTranslated(groups) ? 'refused' : 'ordinary';
}

/**
 * Returns true for an IPv4 address in a form that no public host uses: IPv4-compatible (::/96, RFC 4291),
 * IPv4-translated (::ffff:0:0:0/96, RFC 2765) or local-use NAT64 (64:ff9b:1::/48, RFC 8215).
 */
function isTranslated(groups: readonly number[]): boolean {
  const prefix = groups.slice(0, 6).join(',');
  const isLocalNat64 = groups[0] === 0x64 && groups[1] === 0xff9b && groups[2] === 1;
  return prefix === '0,0,0,0,0,0' || prefix === '0,0,0,0,65535,0' || isLocalNat64;
}

/** Returns the IPv4 address inside an IPv4-mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96) or 6to4 (2002::/16) address. */
function embeddedIpv4(groups: readonly number[]): number[] | undefined {
  const bytes = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255];
  const prefix = groups.slice(0, 6).join(',');
  const nat64 = `${0x64},${0xff9b},0,0,0,0`;
  if (prefix === '0,0,0,0,0,65535' || prefix === nat64) return bytes(groups[6] ?? 0, groups[7] ?? 0);
  return groups[0] === 0x2002 ? bytes(groups[1] ?? 0, groups[2] ?? 0) : undefined;
}

/** Returns the eight groups of an IPv6 address (RFC 4291 §2.2), zone removed; undefined for other text. */
function parseIpv6(text: string): number[] | undefined {
  const plain = dottedTailAsGroups(text.replace(/%.*$/, ''));
  if (plain === undefined) return undefined;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}

function dottedTailAsGroups(text: string): string | undefined {
  if (!text.includes('.')) return text;
  const cut = text.lastIndexOf(':') + 1;
  const parts = parseIpv4(text.slice(cut));
  if (!parts) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  return `${text.slice(0, cut)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
