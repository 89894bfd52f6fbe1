import { describe, expect, it } from 'vitest';
import { parseExactly } from '#shared/kernel/exact-number';
import type { JsonObject } from '#shared/kernel/json';
import { differingFields } from './drift.ts';

const json = (text: string) => parseExactly(text) as JsonObject;

describe('the fields that differ', () => {
  it.each([
    ['nothing, whatever the order of members', '{"a":1,"b":{"c":[1]}}', '{"b":{"c":[1]},"a":1}', []],
    ['a changed scalar, by its pointer', '{"a":{"b":1}}', '{"a":{"b":2}}', ['/a/b']],
    ['a member on one side only', '{"a":1}', '{"b":null}', ['/a', '/b']],
    ['a list as a whole', '{"a":[1,{"b":2}]}', '{"a":[1,{"b":3}]}', ['/a']],
    ['another type', '{"a":"1","b":{}}', '{"a":1,"b":[]}', ['/a', '/b']],
    ['digits that JavaScript would lose', '{"a":12345678901234567890}', '{"a":12345678901234567891}', ['/a']],
    ['equal digits', '{"a":12345678901234567890}', '{"a":12345678901234567890}', []],
    ['escaped names, sorted', '{"z~":1,"a/b":1}', '{"z~":2,"a/b":2}', ['/a~1b', '/z~0']],
    [
      'members that are named like those of every object',
      '{"constructor":1}',
      '{"toString":1}',
      ['/constructor', '/toString'],
    ],
  ])('are %s', (_, desired, native, fields) => {
    expect(differingFields(json(desired), json(native))).toEqual(fields);
  });

  it('are members at the top, or the whole, where they are too many', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));
    expect(differingFields({ a: many(200) }, { a: {} })).toHaveLength(200);
    expect(differingFields({ a: many(201), b: 1 }, { a: {}, b: 2 })).toEqual(['/a', '/b']);
    expect(differingFields(many(201), {})).toEqual(['']);
  });
});
