import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  freeRange,
  hardenings,
  hasReachableNameServer,
  isNameServerConfined,
  resolverFor,
  slirpArgv,
  slirpEnvironment,
  speaksIpv4,
} from './slirp.ts';

const of = (address: string, netmask: string, family: 'IPv4' | 'IPv6' = 'IPv4') => ({
  address,
  netmask,
  mac: '00:00:00:00:00:00',
  internal: address.startsWith('127.') || address === '::1',
  cidr: null,
  ...(family === 'IPv4' ? { family } : { family, scopeid: 0 }),
});
const range = { cidr: '198.18.107.0/24', nameServer: '198.18.107.3' };

test('traffic is carried without an API socket, without the loopback of the host, for the namespace of one process', () => {
  const argv = slirpArgv({ pid: 77, range, hardening: ['--enable-sandbox'], fds: { ready: 3, leash: 4 } });
  expect(argv).toContain('--disable-host-loopback');
  expect(argv).toContain('--enable-sandbox');
  expect(argv.join(' ')).toContain('--cidr 198.18.107.0/24');
  expect(argv.join(' ')).toContain('--ready-fd 3 --exit-fd 4');
  expect(argv.slice(-2)).toEqual(['77', 'tap0']);
  expect(argv.filter((item) => /api-socket|^-a$|ipv6|^-6$/.test(item))).toEqual([]);
});

test('its environment inherits nothing', () => {
  expect(slirpEnvironment()).toEqual({ LC_ALL: 'C' });
});

test('uses a range that no narrower or wider network of the host overlaps', () => {
  expect(freeRange({})).toEqual(range);
  expect(freeRange({ lo: [of('127.0.0.1', '255.0.0.0')], eth0: [of('10.0.2.15', '255.255.255.0')] })).toEqual(range);
  expect(freeRange({ a: [of('198.18.107.9', '255.255.255.252')] }).cidr).toBe('10.107.254.0/24');
  expect(freeRange({ a: [of('198.18.0.1', '255.254.0.0')], b: [of('10.1.2.3', '255.0.0.0')] })).toEqual({
    cidr: '172.31.254.0/24',
    nameServer: '172.31.254.3',
  });
  expect(freeRange({ a: [of('fd00::2', 'ffff:ffff:ffff:ffff::', 'IPv6')] })).toEqual(range);
});

test('an IPv6-only host keeps its own network', () => {
  const lo = [of('127.0.0.1', '255.0.0.0'), of('::1', 'ffff::', 'IPv6')];
  const link = of('fe80::1', 'ffff:ffff:ffff:ffff::', 'IPv6');
  expect(speaksIpv4({ lo })).toBe(true);
  expect(speaksIpv4({ lo, eth0: [link] })).toBe(true);
  expect(speaksIpv4({ lo, eth0: [link, of('2001:db8::2', 'ffff::', 'IPv6')] })).toBe(false);
  expect(speaksIpv4({ lo, eth0: [of('192.0.2.2', '255.255.255.0'), of('2001:db8::2', 'ffff::', 'IPv6')] })).toBe(true);
});

test('name resolution needs an IPv4 name server of the host, or none at all', () => {
  expect(hasReachableNameServer('')).toBe(true);
  expect(hasReachableNameServer('nameserver 127.0.0.53\noptions edns0\n')).toBe(true);
  expect(hasReachableNameServer('nameserver fe80::1%eth0\nnameserver 192.168.1.1\n')).toBe(true);
  expect(hasReachableNameServer('# nameserver 1.1.1.1\nnameserver 2001:db8::53\n')).toBe(false);
});

test('inside, the name server is the one of the namespace, with the search list and the options of the host', () => {
  const host =
    '# a note\nnameserver 127.0.0.53\nnameserver 10.0.0.1\n search corp.example lan\noptions edns0 trust-ad\n';
  expect(resolverFor(range, host)).toBe('nameserver 198.18.107.3\nsearch corp.example lan\noptions edns0 trust-ad\n');
});

test('a library that forwards more than port 53 of its name server is not trusted with the loopback of the host', () => {
  const version = (library: string) => `slirp4netns version 1.2.0\ncommit: 65\nlibslirp: ${library}\n`;
  expect(['4.3.0', '4.3.1-git', '4.7.0', '4.10.2', '5.0.0'].map((text) => isNameServerConfined(version(text)))).toEqual(
    Array(5).fill(true),
  );
  expect(['4.2.0', '4.1.0', '3.9.9'].map((text) => isNameServerConfined(version(text)))).toEqual(Array(3).fill(false));
  expect(isNameServerConfined('slirp4netns version 0.3.0\n')).toBe(false);
});

test('the strictest hardening comes first, and none hides the resolver file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'slirp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'real'), '');
  const link = path.join(folder, 'resolv.conf');
  symlinkSync(path.join(folder, 'real'), link);
  expect(hardenings(link)).toEqual([['--enable-seccomp'], []]);
  expect(hardenings('/etc/passwd')).toEqual([
    ['--enable-sandbox', '--enable-seccomp'],
    ['--enable-sandbox'],
    ['--enable-seccomp'],
    [],
  ]);
});
