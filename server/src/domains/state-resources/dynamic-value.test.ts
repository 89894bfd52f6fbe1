import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/kernel/json';
import { unwrapDynamic } from './dynamic-value.ts';

describe('a value of dynamic type', () => {
  it.each<[Json, Json]>([
    ['x', 'string'],
    [1, 'number'],
    [true, 'bool'],
    [null, 'string'],
    [['a'], ['list', 'string']],
    [{ a: 1 }, ['map', 'number']],
    [
      ['a', 1],
      ['tuple', ['string', 'number']],
    ],
    [{ a: 'x', b: [1] }, ['object', { a: 'string', b: ['tuple', ['number']] }]],
    [null, ['object', { a: 'string' }]],
  ])('%j of type %j is unwrapped', (value, type) => {
    expect(unwrapDynamic({ value, type })).toEqual({ value });
  });

  it.each<[Json]>([
    [{ value: 'x', type: 'number' }],
    [{ value: 'x', type: 'TXT' }],
    [{ value: 'x', type: 'string', ttl: 1 }],
    [{ value: { a: 1 }, type: ['object', { b: 'number' }] }],
    [{ value: ['x'], type: ['tuple', []] }],
    [{ value: 'x' }],
    ['x'],
  ])('is not %j', (value) => {
    expect(unwrapDynamic(value)).toBeUndefined();
  });
});
