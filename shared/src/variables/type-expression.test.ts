// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way

import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../kernel/exact-number.ts';
import { cleanTypeText, parseType, type VariableType } from './type-expression.ts';

const string: VariableType = { kind: 'string' };
const any: VariableType = { kind: 'any' };
const attribute = (name: string, type: VariableType, more: object = {}) => ({ name, type, optional: false, ...more });

describe('a type expression', () => {
  it.each<[string, VariableType]>([
    ['string', string],
    [' number ', { kind: 'number' }],
    ['bool', { kind: 'bool' }],
    ['any', any],
    ['"string"', string],
    ['list', { kind: 'list', element: any }],
    ['"map"', { kind: 'map', element: any }],
    ['list(string)', { kind: 'list', element: string }],
    ['set( list(string), )', { kind: 'set', element: { kind: 'list', element: string } }],
    ['map(any)', { kind: 'map', element: any }],
    ['tuple([string, number,])', { kind: 'tuple', elements: [string, { kind: 'number' }] }],
    ['tuple([])', { kind: 'tuple', elements: [] }],
    ['object({})', { kind: 'object', attributes: [] }],
    ['object({ a = string, b : any })', { kind: 'object', attributes: [attribute('a', string), attribute('b', any)] }],
    [
      'object({\n  a = string # one\n  b-c = any\n})',
      { kind: 'object', attributes: [attribute('a', string), attribute('b-c', any)] },
    ],
    ['${object({ "quoted key" = string })}', { kind: 'object', attributes: [attribute('quoted key', string)] }],
    ['list /* ( */ (string) // )', { kind: 'list', element: string }],
    ['object({ größe = string })', { kind: 'object', attributes: [attribute('größe', string)] }],
  ])('%s is read', (text, type) => {
    expect(parseType(text)).toEqual(type);
  });

  it.each<[string, object]>([
    ['optional(string)', {}],
    ['optional(string, null)', { default: null }],
    ['optional(string, "x\\n\\u00e9\\"}")', { default: 'x\né"}' }],
    ['optional(string, "$${x}")', { default: '${x}' }],
    ['optional(string, "${x}")', {}],
    ['optional(string, upper("a, b)"))', {}],
    ['optional(string, -1.5e3)', { default: -1500 }],
    ['optional(string, 12345678901234567891)', { default: ExactNumber.read('12345678901234567891') }],
    ['optional(string, 1 + 1)', {}],
    ['optional(string, true,)', { default: true }],
    ['optional(string, [1, { a = "b", "c": [] }])', { default: [1, { a: 'b', c: [] }] }],
  ])('takes %s as an optional attribute', (text, more) => {
    const type = parseType(`object({\n  a = ${text}\n  z = any\n})`);
    const attributes = [attribute('a', string, { optional: true, ...more }), attribute('z', any)];
    expect(type).toEqual({ kind: 'object', attributes });
  });

  it.each([
    '',
    'strin',
    'set',
    'list()',
    'list(string',
    'list(string) x',
    'list(string, number)',
    'object(string)',
    'object({ a = })',
    'object({ a string })',
    'object({ a = string, a = number })',
    'object({ a = optional() })',
    'tuple(string)',
    'tuple([string number])',
    'optional(string)',
    '"object({})"',
    'var.x',
    'toString',
    `${'list('.repeat(5_000)}string${')'.repeat(5_000)}`,
  ])('%s is none', (text) => {
    expect(parseType(text)).toBeUndefined();
  });

  it('is shown without comments, and keeps text that only looks like one', () => {
    const text = '${object({ # a\n\n  a = optional(string, "# // /* ${"}"} */") /* b\n */\n  })}';
    expect(cleanTypeText(text)).toBe('object({\n  a = optional(string, "# // /* ${"}"} */")\n  })');
  });
});
