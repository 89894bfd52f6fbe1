import { expect, test } from 'vitest';
import { decideCertificate, issuerOf } from './certificate.ts';

const certificate = (organizations: string[], commonName = 'R11') =>
  ({ issuer: { organizations, commonName }, issuerName: commonName }) as Parameters<typeof issuerOf>[0];
const presented = { hostname: 'team.example', errorCode: 0, certificate: certificate(['Example CA']) };
const server = { origin: 'https://team.example:8443', issuer: 'Example CA' };

test('a certificate that the system trusts is remembered at first and accepted after', () => {
  expect(decideCertificate(presented, { origin: server.origin })).toBe('unknown');
  expect(decideCertificate(presented, server)).toBe('accepted');
  const renewed = { ...presented, certificate: certificate(['Example CA'], 'R12') };
  expect(decideCertificate(renewed, server)).toBe('accepted');
});

test('the person decides about a certificate of another authority', () => {
  const other = { ...presented, certificate: certificate(['Proxy of a company']) };
  expect(decideCertificate(other, server)).toBe('changed');
});

test.each([
  ['it has expired', { errorCode: -201 }],
  ['its authority is unknown', { errorCode: -202 }],
  ['it is for another name', { errorCode: -200 }],
  ['it was revoked', { errorCode: -206 }],
  ['it belongs to another host', { hostname: 'evil.example' }],
  ['it names no issuer', { certificate: certificate([], '') }],
])('a certificate is refused, known server or not, when %s', (_why, change) => {
  expect(decideCertificate({ ...presented, ...change }, server)).toBe('refused');
  expect(decideCertificate({ ...presented, ...change }, { origin: server.origin })).toBe('refused');
});

test('the host of an address is compared without its brackets', () => {
  const loopback = { ...presented, hostname: '::1' };
  expect(decideCertificate(loopback, { origin: 'https://[::1]:8443' })).toBe('unknown');
});

test('an authority is named by its organization, else by its name', () => {
  expect(issuerOf(certificate(['A', 'B']))).toBe('A, B');
  expect(issuerOf(certificate([], 'Private CA'))).toBe('Private CA');
});
