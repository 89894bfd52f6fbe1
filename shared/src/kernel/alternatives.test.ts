import { expect, test } from 'vitest';
import { z } from 'zod';
import { alternatives, withExactlyOne } from './alternatives.ts';

const Address = withExactlyOne(
  z.strictObject({ a: z.string().optional(), b: z.string().optional() }),
  ['a', 'b'],
  ['a'],
);

test('accepts exactly one of the members, and refuses none or both', () => {
  expect([{ a: '1' }, { b: '1' }, {}, { a: '1', b: '1' }].map((body) => Address.safeParse(body).success)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(Address.safeParse({}).error?.issues[0]?.path).toEqual(['a']);
});

test('each alternative refuses members of the others', () => {
  expect(alternatives({ needs: ['a', 'b'], takes: ['c'] }, { needs: ['d'] })).toEqual({
    oneOf: [
      { required: ['a', 'b'], properties: { d: false } },
      { required: ['d'], properties: { a: false, b: false, c: false } },
    ],
  });
});
