import { expect, it } from 'vitest';
import { requireSameScheme } from './join.ts';

it('a machine gets other addresses with TLS where the earlier ones had it, and without where they had not', () => {
  const secure = ['tls://a:4222', 'tls://b:4222'];
  const plain = ['nats://a:4222'];
  expect(requireSameScheme(['tls://c:4222'], secure)).toEqual(secure);
  expect(requireSameScheme(['nats://c:4222'], plain)).toEqual(plain);
  expect(() => requireSameScheme(secure, plain)).toThrow('--connect must use tls://');
  expect(() => requireSameScheme(plain, secure)).toThrow('--connect must use tls://');
});
