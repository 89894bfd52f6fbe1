import { expect, test } from 'vitest';
import { readFence } from './settings-fence.ts';
import { SettingError } from './settings-read.ts';

const read = (url: string, more: Record<string, string> = {}) =>
  readFence({ GROUNDCTL_FENCE_URL: url, GROUNDCTL_FENCE_KEY_FILE: '/etc/keys.json', ...more });

test('a fence is an address with a bucket, and a file of keys', () => {
  expect(readFence({})).toBeUndefined();
  expect(read('https://s3.example.com/copies')).toEqual({
    endpoint: 'https://s3.example.com',
    bucket: 'copies',
    prefix: '',
    region: 'us-east-1',
    keyFile: '/etc/keys.json',
    waitMs: 900_000,
  });
  const more = { GROUNDCTL_FENCE_REGION: 'eu-central-1', GROUNDCTL_FENCE_WAIT_MINUTES: '2' };
  expect(read('http://127.0.0.1:9000/copies/a/b/', more)).toMatchObject({
    endpoint: 'http://127.0.0.1:9000',
    prefix: 'a/b',
    region: 'eu-central-1',
    waitMs: 120_000,
  });
});

test.each([
  'http://s3.example.com/copies',
  'https://s3.example.com',
  'https://key:secret@s3.example.com/copies',
  'https://s3.example.com/copies?x=1',
  'ftp://s3.example.com/copies',
  'copies',
])('%s is not a fence', (url) => {
  expect(() => read(url)).toThrow(SettingError);
});

test('an address needs keys, and keys need an address', () => {
  expect(() => readFence({ GROUNDCTL_FENCE_URL: 'https://s3.example.com/copies' })).toThrow(/together/);
  expect(() => readFence({ GROUNDCTL_FENCE_KEY_FILE: '/etc/keys.json' })).toThrow(/together/);
  expect(() => read('https://s3.example.com/copies', { GROUNDCTL_FENCE_WAIT_MINUTES: '0' })).toThrow(SettingError);
  expect(() => read('https://s3.example.com/copies', { GROUNDCTL_FENCE_REGION: 'a b' })).toThrow(SettingError);
});

test('a fence in NATS needs its address, and no keys', () => {
  const nats = { GROUNDCTL_FENCE_URL: 'nats', GROUNDCTL_NATS_URL: 'nats://127.0.0.1' };
  expect(readFence(nats)).toBe('nats');
  expect(() => readFence({ GROUNDCTL_FENCE_URL: 'nats' })).toThrow(/GROUNDCTL_NATS_URL/);
  expect(() => readFence({ ...nats, GROUNDCTL_FENCE_KEY_FILE: '/etc/keys.json' })).toThrow(SettingError);
});
