import { describe, expect, it } from 'vitest';
import { webAddress } from './address.ts';

describe('a web address in an Output', () => {
  it.each(['http://app.internal', 'https://a.example/x?y=%20#z', 'http://127.0.0.1:8080', 'https://a.example/表'])(
    'links %s as it is written',
    (value) => {
      expect(webAddress(value)).toBe(value);
    },
  );

  it.each([
    ['without a scheme', 'app.internal'],
    ['of another scheme', 'ftp://a.example/'],
    ['with a user', 'https://user:word@a.example/'],
    ['with look-alike letters in the host', 'https://exаmple.com/'],
    ['that a browser would repair', 'http:\\\\a.example'],
    ['with a host in capitals', 'HTTP://A.example/'],
    ['with blanks around it', ' http://a.example '],
    ['followed by other text', 'http://a.example and more'],
  ])('leaves a text %s alone', (_what, value) => {
    expect(webAddress(value)).toBeUndefined();
  });
});
