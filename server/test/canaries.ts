import type { Random } from '../../e2e/fixtures/random.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Texts that a generator planted: those that must never be shown, values of variables, and those that must be. */
export type Canaries = { random: Random; canaries: string[]; secrets: string[]; shown: string[] };

export const createCanaries = (random: Random): Canaries => ({ random, canaries: [], secrets: [], shown: [] });

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const textOf = (random: Random, length: number): string =>
  Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A text that must never be shown. It has a digit, because keys of maps that are plain words are not secret. */
export function canary(world: Canaries): string {
  const prefix = ['Cny-', 'Cny"', 'Cny ü', 'Cny\\', 'Cny\n'][world.random.below(5)] as string;
  const text = `${prefix}${textOf(world.random, 12)}7`;
  world.canaries.push(text);
  return text;
}
/** A text that must be shown, so that a masker that hides everything fails too. */
export function open(world: Canaries): string {
  const text = `open${textOf(world.random, 14)}`;
  world.shown.push(text);
  return text;
}

/** Copies of a secret that lost their mark. */
export const copies: { readonly [name: string]: (secret: string) => Json } = {
  'as it is': (secret) => secret,
  'in a sentence': (secret) => `postgres://user:${secret}@host/db`,
  'in base64': (secret) => base64(`user:${secret}`),
  'in hex': (secret) => Buffer.from(`x${secret}`).toString('hex'),
  'in JSON': (secret) => JSON.stringify({ password: secret }),
  'percent-encoded': (secret) => `https://host/?token=${encodeURIComponent(secret)}`,
  'as a key': (secret) => ({ [secret]: 'x' }),
  'in a list': (secret) => [['x', secret]],
};

/** Picks one of the values. */
export function pick<T>(random: Random, values: { readonly [name: string]: T }): T {
  const names = Object.keys(values);
  return values[names[random.below(names.length)] as string] as T;
}

/** Every form in which the oracle looks for a planted text. */
export const shownForms = (text: string): string[] => {
  const bytes = Buffer.from(text);
  const inner = [0, 1, 2].map((offset) => base64(`${'x'.repeat(offset)}${text}`).slice(offset === 0 ? 0 : 4, -4));
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(JSON.stringify(text)).slice(3, -3),
    encodeURIComponent(text),
    bytes.toString('hex'),
    ...inner.filter((form) => form.length >= 8),
  ];
};
