import { inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { Secret } from './secret.ts';

const value = 'correct horse battery staple';
const secret = new Secret(value);

test('returns its value from `reveal` only, as text and as a copy of its bytes', () => {
  expect(secret.reveal()).toBe(value);
  secret.revealBytes().fill(0);
  expect(secret.revealBytes().toString()).toBe(value);
  expect(new Secret(Buffer.from([0, 255])).revealBytes()).toEqual(Buffer.from([0, 255]));
  expect(secret.byteLength).toBe(value.length);
});

test('does not expose its value in any other way', () => {
  const seen = [
    String(secret),
    `${secret}`,
    `${secret}${''}`,
    [secret].join(),
    JSON.stringify({ secret, list: [secret] }),
    inspect(secret),
    inspect({ deep: { secret } }, { depth: 9, showHidden: true }),
    JSON.stringify(Object.entries(secret)),
    JSON.stringify({ ...secret }),
    inspect(structuredClone(secret)),
    inspect(deserialize(serialize(secret))),
    inspect(new Error('failed', { cause: secret })),
  ];
  for (const text of seen) expect(text).not.toMatch(/horse|Y29ycmVjd|636f7272|99, 111/);
  expect(String(secret)).toBe('[redacted]');
});
