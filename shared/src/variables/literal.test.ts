// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { expect, it } from 'vitest';
import { isExactNumber, parseLiteral } from './literal.ts';

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

it.each<[string, boolean]>([
  ['0', true],
  ['-0.10', true],
  ['1.50e1', true],
  ['9007199254740991', true],
  ['9007199254740992', false],
  ['0.1234567890123456789', false],
  ['1e400', false],
  ['1e-400', false],
  ['5e-324', true],
])('%s is exact: %s', (text, exact) => {
  expect(isExactNumber(text)).toBe(exact);
});
