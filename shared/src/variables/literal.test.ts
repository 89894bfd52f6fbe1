// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { expect, it } from 'vitest';
import { parseLiteral } from './literal.ts';

it.each<[string, unknown]>([
  ['"a\\tb"', 'a\tb'],
  ['"\\U0001F600"', '😀'],
  ['"\\q"', undefined],
  ['"\\UFFFFFFFF"', undefined],
  ['"$${x}%%{y}"', '${x}%{y}'],
  ['"a${1}"', undefined],
  ['"$$${1}"', undefined],
  ['[1, 2,]', [1, 2]],
  ['[1 2]', undefined],
  ['[1', undefined],
  ['{ a = 1\n b = 2 }', { a: 1, b: 2 }],
  ['{ (a) = 1 }', undefined],
  ['- 1', -1],
  ['1 # one', 1],
  ['constructor', undefined],
  ['null', null],
  ['', undefined],
  [`${'['.repeat(1_000)}${']'.repeat(1_000)}`, undefined],
])('%s is the literal %j', (text, value) => {
  expect(parseLiteral(text)).toEqual(value);
});

it('keeps a member called __proto__ a plain member', () => {
  expect(Object.keys(parseLiteral('{ __proto__ = 1 }') as object)).toEqual(['__proto__']);
});

it('keeps every digit of a number', () => {
  expect(String(parseLiteral('9007199254740993'))).toBe('9007199254740993');
  expect(JSON.stringify(parseLiteral('[1, -0.1234567890123456789]'))).toBe('[1,-0.1234567890123456789]');
});
