import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { AnyJson } from './any-json.ts';
import { ExactNumber, endOfString, parseExactly, survivesJavaScript, writeExactly, writeJson } from './exact-number.ts';
import { type Json, JsonError, parseStrictJson } from './json.ts';

test.each<[string, boolean]>([
  ['0', true],
  ['-0.10', true],
  ['1.50e1', true],
  ['9007199254740992', true],
  ['9007199254740993', false],
  ['9007199254740993.0', false],
  ['0.1234567890123456789', false],
  ['1e400', false],
  ['1e-400', false],
  ['5e-324', true],
  ['x', false],
])('%s means the same to JavaScript: %s', (text, same) => {
  expect(survivesJavaScript(text)).toBe(same);
});

describe('an exact number', () => {
  test.each([
    ['9007199254740993', '9007199254740993'],
    ['9007199254740993.00', '9007199254740993'],
    ['90071992547409930e-1', '9007199254740993'],
    ['-0.1234567890123456789', '-0.1234567890123456789'],
    ['1e400', '1e+400'],
    ['1.5E-400', '1.5e-400'],
    [`1${'0'.repeat(400)}`, '1e+400'],
    ['123456789012345678901234567890000', '123456789012345678901234567890000'],
  ])('of %s is written as %s', (token, text) => {
    const number = ExactNumber.read(token);
    expect(String(number)).toBe(text);
    expect(JSON.stringify([number])).toBe(`[${text}]`);
  });

  test('is an ordinary number where that is exact, and undefined for other text', () => {
    expect(ExactNumber.read('1.0')).toBe(1);
    expect(ExactNumber.read('9007199254740992')).toBe(2 ** 53);
    for (const text of ['', '+1', '01x', '1e99999999999', 'NaN', '0x10'])
      expect(ExactNumber.read(text)).toBeUndefined();
  });

  test('is an opaque value to a schema, also inside other values', () => {
    const value = parseExactly('{"a":[9007199254740993]}');
    expect(JSON.stringify(AnyJson.parse(value))).toBe('{"a":[9007199254740993]}');
    expect(AnyJson.safeParse(undefined).success).toBe(false);
  });
});

/** Digits that a JavaScript number rarely holds, in all the forms that JSON has. */
const token = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,30}$/)),
    fc.option(fc.stringMatching(/^\d{1,30}$/), { nil: undefined }),
    fc.option(fc.integer({ min: -450, max: 450 }), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === undefined ? '' : `.${fraction}`, exponent === undefined ? '' : `E${exponent}`].join(''),
  );

/** Digits and power of ten, by arithmetic on whole numbers alone. */
function fractionOf(text: string): [bigint, bigint] {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const exponent = BigInt(power) - BigInt(fraction.length);
  const digits = BigInt(`${whole}${fraction}`);
  return exponent < 0n ? [digits, 10n ** -exponent] : [digits * 10n ** exponent, 1n];
}
const isEqual = (one: string, other: string): boolean => {
  const [a, b] = fractionOf(one);
  const [c, d] = fractionOf(other);
  return a * d === c * b;
};

describe('a text of JSON', () => {
  test('keeps every number through parsing and writing', () => {
    fc.assert(
      fc.property(token, fc.string(), (number, text) => {
        const document = `{ ${JSON.stringify(text)} : [${number},\n"${number}", {"${number}": ${number}}] }`;
        const value = parseExactly(document) as { [key: string]: [unknown, string, { [key: string]: unknown }] };
        const [first, quoted, inner] = Object.values(value)[0] ?? [];
        expect(quoted).toBe(number);
        expect(isEqual(String(first), number)).toBe(true);
        expect(inner).toEqual({ [number]: first });
        expect(writeJson(parseExactly(writeJson(value)))).toBe(writeJson(value));
      }),
    );
  });

  test('is refused where JSON.parse refuses it', () => {
    for (const text of ['01234567890123456789', '{12345678901234567891: 1}', '[12345678901234567891 1]', '1e', '-', ''])
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    fc.assert(
      fc.property(fc.stringMatching(/^[[\]{}:,"\\ 1e9.-]{0,40}$/), (text) => {
        let plain: unknown;
        try {
          plain = JSON.parse(text);
        } catch {
          return void expect(() => parseExactly(text)).toThrow(SyntaxError);
        }
        if (/e[+-]?\d{9}/.test(text)) return;
        if (/\d{15}|e/.test(text)) return void parseExactly(text);
        expect(parseExactly(text)).toEqual(plain);
      }),
    );
  });

  test('may hold long strings full of escapes', () => {
    const long = 'a\\n"'.repeat(500_000);
    expect(parseExactly(JSON.stringify([long, 1]).replace(',1]', ',9007199254740993]'))).toEqual([
      long,
      ExactNumber.read('9007199254740993'),
    ]);
    expect(endOfString('"a\\\\"1', 0)).toBe(5);
    expect(endOfString('"a\\"1', 0)).toBe(5);
  });
});

test('a serializer without support for exact numbers writes them', () => {
  const value = parseExactly('{"b":12345678901234567891,"a":{"rawJSON":"12345678901234567891"}}');
  const sorted = (item: unknown) => JSON.stringify(item, ['a', 'b', 'rawJSON']);
  expect(writeExactly(value, sorted)).toBe('{"a":{"rawJSON":"12345678901234567891"},"b":12345678901234567891}');
});

test('a browser without JSON.rawJSON writes exact numbers', async () => {
  vi.resetModules();
  vi.stubGlobal('JSON', { parse: JSON.parse, stringify: JSON.stringify });
  try {
    const older: typeof import('./exact-number.ts') = await import('./exact-number.ts');
    const value = older.parseExactly('{"a":[9007199254740993,"exact-number:1"]}');
    expect(older.writeJson(value)).toBe('{"a":[9007199254740993,"exact-number:1"]}');
  } finally {
    vi.unstubAllGlobals();
    vi.resetModules();
  }
});

describe('strict JSON', () => {
  test('refuses numbers that are expensive to process', () => {
    const refused = /1,024 digits/;
    for (const number of ['1e10000', '-1e-10000', '7'.repeat(1_025)])
      expect(() => parseStrictJson(`{"a":[${number}]}`)).toThrow(refused);
    expect(() => parseStrictJson('1e99999999999')).toThrow(JsonError);
    for (const number of ['1e9999', '7'.repeat(1_024)]) parseStrictJson(`{"a":[${number}]}`);
  });

  test('keeps those that the tool wrote', () => {
    const value = parseStrictJson('7'.repeat(1_025), { longNumbers: 'kept' }) as Json;
    expect(String(value)).toBe('7'.repeat(1_025));
  });
});
