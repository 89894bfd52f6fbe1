import { describe, expect, it } from 'vitest';
import { readNatsUrl } from './settings-nats.ts';

const read = (GROUNDCTL_NATS_URL: string) => readNatsUrl({ GROUNDCTL_NATS_URL });

describe('the address of the NATS server', () => {
  it('is absent without a setting', () => {
    expect(readNatsUrl({})).toBeUndefined();
    expect(read('')).toBeUndefined();
  });

  it('gets the usual port', () => {
    expect(read('nats://Nats.Internal')).toBe('nats://nats.internal:4222');
    expect(read('tls://10.0.0.7:4333/')).toBe('tls://10.0.0.7:4333');
    expect(read('nats://[::1]')).toBe('nats://[::1]:4222');
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
  ])('is refused as %s, without repeating it', (text) => {
    expect(() => read(text)).toThrow(/^GROUNDCTL_NATS_URL must be nats:\/\/HOST or tls:\/\/HOST(?!.*internal)/);
  });
});
