import { expect, it } from 'vitest';
import { NewPassphrase } from './passphrase.ts';

it.each([
  ['eleven characters', 'x'.repeat(11), false],
  ['twelve characters', 'x'.repeat(12), true],
  ['six characters of two code units each', '🔑'.repeat(6), false],
  ['twelve characters of two code units each', '🔑'.repeat(12), true],
])('a new passphrase of %s', (_name, passphrase, isAccepted) => {
  expect(NewPassphrase.safeParse(passphrase).success).toBe(isAccepted);
});
