import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './address-search.ts';

test.each<[string, Record<string, unknown>]>([
  ['', {}],
  ['?q=12', { q: '12' }],
  ['?gone=true', { gone: 'true' }],
  ['?q=%22x%22&status=active', { q: '"x"', status: 'active' }],
  ['?git=https%3A%2F%2Fexample.com%2Fr&ref=v1%2Bx', { git: 'https://example.com/r', ref: 'v1+x' }],
  ['?ref=a&ref=b', { ref: ['a', 'b'] }],
  ['?q=', { q: '' }],
  ['?%3Cb%3E=1', { '<b>': '1' }],
])('%s is read and written again', (search, values) => {
  expect(parseSearch(search)).toEqual(values);
  expect(stringifySearch(values)).toBe(search);
});

test.each(['?ref=%zz', '?ref=%C3%28', '?=x', '?git=x&__proto__=1', '?%=1'])('%s stays as it is', (search) => {
  expect(stringifySearch({ ...parseSearch(search) })).toBe(search);
});

test('reads a query in another encoding as the same values', () => {
  expect(stringifySearch(parseSearch('?q=a+b&&x'))).toBe('?q=a%20b&x=');
  expect(stringifySearch({ tab: undefined, gone: true, n: 3 })).toBe('?gone=true&n=3');
});
