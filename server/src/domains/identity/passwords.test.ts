import { expect, test } from 'vitest';
import { AppError } from '#server/kernel/errors';
import { createPasswords, requireStrongPassword } from './passwords.ts';

test('a password is hashed with argon2id and verified, also where its letters are composed differently', async () => {
  const { hash, verify } = createPasswords();
  const stored = await hash('pässwört am Meer');
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
  expect(await verify(stored, 'pässwört am Meer'.normalize('NFD'))).toBe(true);
  expect(await verify(stored, 'passwort am Meer')).toBe(false);
  expect(await verify(undefined, 'pässwört am Meer')).toBe(false);
});

test('two are computed at once and sixteen wait; the nineteenth is refused, and later ones are accepted again', async () => {
  const { verify } = createPasswords();
  const all = await Promise.allSettled(Array.from({ length: 19 }, () => verify(null, 'x')));
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as AppError] : []));
  expect(refused.map(({ code, details }) => [code, details?.retryAfterSeconds])).toEqual([['rate_limited', 1]]);
  expect(refused[0]).toBeInstanceOf(AppError);
  expect(await verify(null, 'x')).toBe(false);
});

test('a valid one has 12 to 256 code points and is not the e-mail', () => {
  const isGood = (password: string) => {
    try {
      requireStrongPassword(password, 'someone@example.com');
      return true;
    } catch {
      return false;
    }
  };
  expect(['x'.repeat(12), 'x'.repeat(256), '🙂'.repeat(256)].map(isGood)).toEqual([true, true, true]);
  expect(['x'.repeat(11), 'x'.repeat(257), '🙂'.repeat(11), 'Someone@Example.com'].map(isGood)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
