import { expect, test } from 'vitest';
import { findSecretLike, isSecretLike } from './secret-like.ts';

test.each([
  '-----BEGIN RSA PRIVATE KEY-----',
  'sk-abcdefgh',
  'rk_live_12345678',
  'github_pat_aaaaaaaaaaaaaaaaaaaa',
  'ghp_12345678',
  'AKIAABCDEFGHIJKLMNOP',
  'xoxb-1234567890',
  'eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM',
  'svcpat_abcdefghijklmnopqrstuvwxyz',
  'Authorization: Bearer abc',
  'send Bearer abcdef12 to it',
  'https://user:pw@example.test/x',
  'https://user@example.test/x',
  'password = hunter2x',
  'DB_API-KEY: "abc123def"',
])('%s looks like a credential', (text) => expect(isSecretLike(text)).toBe(true));

test.each([
  'the token of the service',
  'password: none yet',
  'choose a secret name',
  'https://example.test/a@b',
  'Basic knowledge is enough',
  'risk-averse',
  '',
])('%s is ordinary text', (text) => expect(isSecretLike(text)).toBe(false));

test('returns the path of a credential inside a structure, not its value', () => {
  expect(findSecretLike({ a: [1, { b: 'ghp_12345678' }] })).toEqual(['a', '1', 'b']);
  expect(findSecretLike({ a: ['plain', null, 3] })).toBeUndefined();
});

test('a long text is searched in linear time: a pattern that backtracks would outlast this test', () => {
  expect(isSecretLike(`${'token'.repeat(200_000)} = x`)).toBe(false);
  expect(isSecretLike(`a://${'x'.repeat(1_000_000)}`)).toBe(false);
});
