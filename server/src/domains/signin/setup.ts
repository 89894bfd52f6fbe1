import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

/** Crockford's base32: no letters that are mistaken for digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const groups = 3;
const groupLength = 4;

export type SetupCode = {
  /** Code in the form `XXXX-XXXX-XXXX`, printed only to the console. */
  readonly text: string;
  /** Compares in constant time. */
  matches(sent: string): boolean;
};

/** Creates a fresh code; knowing it proves access to the console of this server. It lives as long as the process. */
export function createSetupCode(): SetupCode {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const text = Array.from({ length: groups }, group).join('-');
  const digest = digestOf(text);
  return { text, matches: (sent) => timingSafeEqual(digestOf(sent), digest) };
}

/** Normalizes a code as Crockford does: any case, with or without dashes, O for 0 and I or L for 1. */
const plain = (text: string): string =>
  text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');

const digestOf = (text: string): Buffer => createHash('sha256').update(plain(text)).digest();
