import { describe, expect, it } from 'vitest';
import { chooseAddress } from './chosen-address.ts';

const secure = { urls: ['tls://a:4222'], ca: 'old' };
const plain = { urls: ['nats://a:4222'] };
const cluster = ['tls://b:4222', 'tls://c:4222'];

describe('the address of NATS of a machine', () => {
  it('is the earlier one when nothing was chosen', () => {
    expect(chooseAddress(secure, {})).toEqual(secure);
    expect(chooseAddress(plain, {})).toEqual({ ...plain, ca: undefined });
  });

  it('gets other addresses and another authority, together or alone', () => {
    expect(chooseAddress(secure, { urls: cluster })).toEqual({ urls: cluster, ca: 'old' });
    expect(chooseAddress(secure, { ca: 'new' })).toEqual({ urls: secure.urls, ca: 'new' });
    expect(chooseAddress(secure, { urls: cluster, ca: 'new' })).toEqual({ urls: cluster, ca: 'new' });
  });

  it('may get TLS and never loses it', () => {
    expect(chooseAddress(plain, { urls: cluster, ca: 'new' })).toEqual({ urls: cluster, ca: 'new' });
    expect(() => chooseAddress(secure, { urls: plain.urls })).toThrow('--connect must use tls://');
  });

  it('has no authority without TLS', () => {
    expect(() => chooseAddress(plain, { ca: 'new' })).toThrow('--authority needs addresses with tls://');
  });
});
