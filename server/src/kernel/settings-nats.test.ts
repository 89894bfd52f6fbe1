import { describe, expect, it } from 'vitest';
import { parseNatsAddresses, readNats } from './settings-nats.ts';

const read = (GROUNDCTL_NATS_URL: string, GROUNDCTL_NATS_REPLICAS = '') =>
  readNats({ GROUNDCTL_NATS_URL, GROUNDCTL_NATS_REPLICAS });
const urlsOf = (text: string) => read(text)?.urls;

describe('the addresses of NATS', () => {
  it('are absent without a setting', () => {
    expect(readNats({})).toBeUndefined();
    expect(read('')).toBeUndefined();
  });

  it('get the usual port', () => {
    expect(urlsOf('nats://Nats.Internal')).toEqual(['nats://nats.internal:4222']);
    expect(urlsOf('tls://10.0.0.7:4333/')).toEqual(['tls://10.0.0.7:4333']);
    expect(urlsOf('nats://[::1]')).toEqual(['nats://[::1]:4222']);
  });

  it('name the members of a cluster, separated by commas', () => {
    expect(urlsOf('tls://a.internal, tls://B.internal:4223,tls://c.internal')).toEqual([
      'tls://a.internal:4222',
      'tls://b.internal:4223',
      'tls://c.internal:4222',
    ]);
  });

  it.each([
    'nats.internal:4222',
    'http://nats.internal',
    'nats://',
    'nats://ada@nats.internal',
    'nats://ada:password@nats.internal',
    'nats://nats.internal/path',
    'nats://nats.internal?tls=1',
    'nats://nats.internal#a',
    'nats://nats.internal,',
    ',nats://nats.internal',
    'nats://nats.internal nats://b.internal',
    'nats://a.internal,nats://ada:password@nats.internal',
  ])('are refused as %s, without repeating it', (text) => {
    expect(() => read(text)).toThrow(/^GROUNDCTL_NATS_URL must be nats:\/\/HOST or tls:\/\/HOST(?!.*internal)/);
  });

  it.each([
    ['tls://a.internal,nats://b.internal', /must not mix tls:\/\/ and nats:\/\//],
    ['tls://a.internal,tls://A.internal:4222', /must name each address once/],
    [Array.from({ length: 17 }, (_, at) => `tls://n${at}.internal`).join(','), /at most 16 addresses/],
  ])('of %s are refused', (text, sentence) => {
    expect(() => read(text)).toThrow(sentence);
    expect(() => parseNatsAddresses('--connect', text)).toThrow(/^--connect must/);
  });
});

describe('the number of copies', () => {
  const three = 'nats://a,nats://b,nats://c';

  it('is three from three addresses on, unless it is named', () => {
    expect(read('nats://a')?.replicas).toEqual({ count: 1, isNamed: false });
    expect(read('nats://a,nats://b')?.replicas).toEqual({ count: 1, isNamed: false });
    expect(read(three)?.replicas).toEqual({ count: 3, isNamed: false });
    expect(read(three, '1')?.replicas).toEqual({ count: 1, isNamed: true });
    expect(read('nats://a', '5')?.replicas).toEqual({ count: 5, isNamed: true });
  });

  it.each(['0', '2', '4', '6', '3.0', ' 3', 'three'])('is refused as "%s"', (count) => {
    expect(() => read(three, count)).toThrow('GROUNDCTL_NATS_REPLICAS must be 1, 3 or 5.');
  });

  it('is refused without an address', () => {
    expect(() => read('', '3')).toThrow('GROUNDCTL_NATS_REPLICAS needs GROUNDCTL_NATS_URL.');
  });
});
