import { expect, test } from 'vitest';
import { addressKey, createClientAddress } from './client-address.ts';

const clientAddressOf = (trusted: string[], peer: string, forwarded?: string | string[]) =>
  createClientAddress(trusted)({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded as string },
  });

test('without a trusted proxy the peer is the client, whatever a header says', () => {
  expect(clientAddressOf([], '203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
  expect(clientAddressOf(['10.0.0.1'], '203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
});

test('behind trusted proxies the client is the address that the outermost proxy saw', () => {
  const trusted = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'];
  expect(clientAddressOf(trusted, '127.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
  expect(clientAddressOf(trusted, '::ffff:127.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
  expect(clientAddressOf(trusted, '127.0.0.1', '198.51.100.1, 10.1.2.3')).toBe('198.51.100.1');
  expect(clientAddressOf(trusted, 'fd00::7', ['1.1.1.1', '198.51.100.1'])).toBe('198.51.100.1');
  expect(clientAddressOf(trusted, '127.0.0.1', '[2001:db8::1]:443')).toBe('2001:db8::1');
  expect(clientAddressOf(trusted, '127.0.0.1', '198.51.100.1:4711')).toBe('198.51.100.1');
});

test('ignores entries that the client wrote itself', () => {
  expect(clientAddressOf(['127.0.0.1'], '127.0.0.1', '1.2.3.4, 127.0.0.1, 198.51.100.1')).toBe('198.51.100.1');
  expect(clientAddressOf(['127.0.0.1'], '127.0.0.1', '1.2.3.4, nonsense')).toBe('127.0.0.1');
  expect(clientAddressOf(['127.0.0.1'], '127.0.0.1', '')).toBe('127.0.0.1');
  expect(clientAddressOf(['127.0.0.1'], '127.0.0.1')).toBe('127.0.0.1');
});

test('counts an address once in every spelling, and IPv6 addresses by their /64', () => {
  expect(addressKey('203.0.113.7')).toBe('203.0.113.7');
  expect(addressKey('::ffff:203.0.113.7')).toBe('203.0.113.7');
  for (const address of ['2001:db8:0:1::1', '2001:0DB8:0000:0001:ffff:1:2:3', '2001:db8:0:1::%eth0'])
    expect(addressKey(address)).toBe('2001:db8:0:1');
  expect(addressKey('::1')).toBe('0:0:0:0');
  expect(addressKey('')).toBe('');
});
