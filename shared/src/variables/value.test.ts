import { describe, expect, it } from 'vitest';
import type { Json } from '../kernel/json.ts';
import { parseType, type VariableType } from './type-expression.ts';
import { checkValue } from './value.ts';

const typeOf = (text: string): VariableType => {
  const type = parseType(text);
  if (!type) throw new Error(`No type: ${text}`);
  return type;
};

const check = (text: string, value: Json, nullable = true) => checkValue(typeOf(text), value, { nullable });

describe('a value fits', () => {
  it.each<[string, Json]>([
    ['string', 'x'],
    ['string', 1],
    ['string', true],
    ['number', -1.5],
    ['number', '1e3'],
    ['number', '.5'],
    ['bool', false],
    ['bool', 'true'],
    ['bool', '0'],
    ['any', { a: [null] }],
    ['string', null],
    ['list(number)', ['1', 2, null]],
    ['set(string)', []],
    ['map(bool)', { a: true, __proto__x: 'false' }],
    ['tuple([string, number])', [1, '2']],
    ['object({ a = string, b = optional(number) })', { a: 'x' }],
    ['object({ a = string })', { a: null, more: [1] }],
    ['map(string)', {}],
  ])('%s: %j', (text, value) => {
    expect(check(text, value)).toEqual({ ok: true });
  });
});

describe('a value does not fit', () => {
  it.each<[string, Json, string, string]>([
    ['string', { a: 1 }, '', 'A text is expected here.'],
    ['string', [], '', 'A text is expected here.'],
    ['number', 'twelve', '', 'A number is expected here.'],
    ['number', '', '', 'A number is expected here.'],
    ['number', '0x10', '', 'A number is expected here.'],
    ['number', true, '', 'A number is expected here.'],
    ['bool', 1, '', 'True or false is expected here.'],
    ['bool', 'yes', '', 'True or false is expected here.'],
    ['list(string)', 'x', '', 'A list is expected here.'],
    ['set(string)', { a: 1 }, '', 'A list is expected here.'],
    ['map(string)', [1], '', 'A map from names to values is expected here.'],
    ['list(number)', [1, 'x'], '/1', 'A number is expected here.'],
    ['tuple([string, number])', ['x'], '', 'A list of 2 values is expected here.'],
    ['tuple([string, number])', ['x', []], '/1', 'A number is expected here.'],
    ['map(number)', { 'a/b~c': 'x' }, '/a~1b~0c', 'A number is expected here.'],
    ['object({ a = string })', {}, '/a', 'The attribute "a" is missing: a text is expected.'],
    [
      'object({ a = object({ b = list(bool) }) })',
      { a: { b: [true, 2] } },
      '/a/b/1',
      'True or false is expected here.',
    ],
    ['object({ toString = string })', {}, '/toString', 'The attribute "toString" is missing: a text is expected.'],
    ['object({})', 'x', '', 'An object is expected here.'],
  ])('%s: %j', (text, value, pointer, message) => {
    expect(check(text, value)).toEqual({ ok: false, pointer, message });
  });

  it('null, where the variable does not accept it', () => {
    expect(check('number', null, false)).toMatchObject({
      ok: false,
      message: 'A number is expected; null is not allowed here.',
    });
    expect(check('list(number)', [null], false)).toEqual({ ok: true });
  });

  it('and the message does not quote it', () => {
    expect(JSON.stringify(check('object({ a = list(number) })', { a: ['s3cret'] }))).not.toContain('s3cret');
  });
});
