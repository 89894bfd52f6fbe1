import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

test.each([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['', undefined],
  ['{"a":', undefined],
])('parses %j, and nothing from a damaged text', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
