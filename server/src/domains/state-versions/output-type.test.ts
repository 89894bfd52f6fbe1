import { describe, expect, test } from 'vitest';
import type { OutputType } from '#shared/state-versions/contract';
import { isOfType, typeOf } from './output-type.ts';

describe('a value is accepted where a type is required', () => {
  const kinds: [OutputType, unknown[], unknown[]][] = [
    ['string', ['', 'a'], [1, true, null, [], {}]],
    ['number', [0, -1.5], ['1', true, null]],
    ['boolean', [true, false], ['true', 0, null]],
    ['url', ['https://a.example/x?y', 'postgres://db:5432'], ['a.example', '/x', '', 1]],
    ['hostname', ['a', 'a.example', '10.0.0.1'], ['', 'a..b', '-a', 'https://a', 'a b', `${'a'.repeat(64)}.b`, 1]],
    ['json', ['a', 1, true, null, [1], { a: 1 }], []],
  ];
  test.each(kinds)('%s', (type, good, bad) => {
    expect([...good, ...bad].map((value) => isOfType(value as never, type))).toEqual([
      ...good.map(() => true),
      ...bad.map(() => false),
    ]);
  });
});

test('a share has the type of a value, and none for null', () => {
  expect(['a', 1, true, [1], { a: 1 }, null].map((value) => typeOf(value))).toEqual([
    'string',
    'number',
    'boolean',
    'json',
    'json',
    undefined,
  ]);
});
