import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/kernel/json';
import { answer, type SchemaRequest } from './evaluate.ts';

const check = (schema: unknown) => answer({ kind: 'check', schema: JSON.stringify(schema) });
let digests = 0;
const validate = (schema: unknown, value: Json | string) => {
  digests += 1;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const request: SchemaRequest = {
    kind: 'validate',
    digest: String(digests),
    schema: JSON.stringify(schema),
    value: text,
  };
  return answer(request);
};

/** Refers to the next level twice: 2 to the power of 40 evaluations. */
const doubling = {
  $ref: '#/$defs/a0',
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `a${at}`,
        { allOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] },
      ]),
    ),
    a40: {},
  },
};

describe('the check of a schema', () => {
  it.each([
    [true],
    [{ type: 'object', properties: { $id: { type: 'string' }, id: {} }, 'x-note': { $id: 'https://a.example/' } }],
    [
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $ref: '#/$defs/a',
        $defs: { a: { $ref: '#b' }, c: { $anchor: 'b' } },
      },
    ],
    [{ $dynamicAnchor: 'node', properties: { child: { $dynamicRef: '#node' } } }],
    [{ properties: { a: { default: { $ref: 'https://a.example/' }, format: 'no-such-format' } } }],
    [{ $ref: '#/properties/a~1b%20c', properties: { 'a/b c': {} } }],
  ])('accepts %j', (schema) => {
    expect(check(schema)).toEqual({ problems: [] });
  });

  it.each([
    ['a number', 7, '', /A schema is an object/],
    ['an unknown keyword', { types: {} }, '/types', /not a keyword/],
    ['another base', { $defs: { a: { $id: 'https://a.example/' } } }, '/$defs/a/$id', /no other base/],
    ['a remote reference', { items: { $ref: 'https://a.example/s.json' } }, '/items/$ref', /begins with #/],
    ['a reference to a file', { $dynamicRef: 'other.json#a' }, '/$dynamicRef', /begins with #/],
    ['a reference to nothing', { $ref: '#/$defs/none' }, '/$ref', /does not lead/],
    [
      'a reference into a value',
      { $ref: '#/const/a', const: { a: { $id: 'https://a.example/' } } },
      '/$ref',
      /does not lead/,
    ],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema', /dialect/],
    [
      'a nested dialect',
      { items: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
      '/items/$schema',
      /root/,
    ],
    ['a pattern that is not one', { pattern: '(' }, '/pattern', /regular expression/],
    [
      'a property pattern that is not one',
      { patternProperties: { '[': {} } },
      '/patternProperties/[',
      /regular expression/,
    ],
    ['a long pattern', { pattern: 'a'.repeat(1_025) }, '/pattern', /1024 characters/],
    ['two equal anchors', { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }, '/$defs/b/$anchor', /anchor/],
    [
      'a keyword of the wrong type',
      { properties: { a: { type: 'text' } } },
      '/properties/a/type',
      /must be equal to one of/,
    ],
    ['a negative length', { minLength: -1 }, '/minLength', /must be >= 0/],
  ])('refuses %s', (_, schema, pointer, message) => {
    expect(check(schema)).toMatchObject({ problems: [{ pointer, message: expect.stringMatching(message) }] });
  });

  it('refuses a number that JavaScript would change', () => {
    expect(answer({ kind: 'check', schema: '{"maximum":9007199254740993}' })).toMatchObject({
      problems: [{ pointer: '/maximum' }],
    });
  });

  it('reports several problems of one schema', () => {
    expect(check({ foo: 1, items: { $ref: 'x' }, pattern: '(' })).toMatchObject({
      problems: [{ pointer: '/foo' }, { pointer: '/pattern' }, { pointer: '/items/$ref' }],
    });
  });
});

describe('the check of a value', () => {
  const bucket = {
    type: 'object',
    properties: {
      name: { type: 'string', pattern: '^[a-z]+$' },
      tags: { type: 'object', additionalProperties: { type: 'string' } },
      list: { items: { type: 'integer' } },
    },
    required: ['name'],
    additionalProperties: false,
  };

  it('accepts a value that satisfies the schema', () => {
    expect(validate(bucket, { name: 'logs', tags: { any: 'x' }, list: [1] })).toEqual({ valid: true });
  });

  it.each([
    ['a missing member', {}, '', "It must have required property 'name'."],
    ['a wrong type', { name: 3 }, '/name', 'It must be string.'],
    ['a pattern', { name: 'S3CRET' }, '/name', 'It must match pattern "^[a-z]+$".'],
    ['an item of a list', { name: 'a', list: [1, 'x'] }, '/list/1', 'It must be integer.'],
    [
      'a member that the schema does not declare',
      { name: 'a', hunter2: 1 },
      '',
      'It must not have additional properties.',
    ],
    ['a value under a name of the caller', { name: 'a', tags: { hunter2: 7 } }, '/tags', 'It must be string.'],
  ])('names the location and the rule for %s', (_, value, pointer, message) => {
    expect(validate(bucket, value as Json)).toEqual({ valid: false, pointer, message });
  });

  it('does not repeat a number that is the key of an object', () => {
    expect(validate({ additionalProperties: { type: 'string' } }, { '4111111111111111': 1 })).toMatchObject({
      pointer: '',
    });
  });

  it.each(['toString', 'constructor', 'hasOwnProperty'])(
    'does not take the inherited member %s for a member of the value',
    (name) => {
      expect(validate({ required: [name] }, {})).toMatchObject({ valid: false });
      expect(validate({ unevaluatedProperties: false }, `{"${name}":1}`)).toMatchObject({ valid: false });
      expect(validate({ additionalProperties: false }, `{"${name}":1}`)).toMatchObject({ valid: false });
    },
  );

  it('refuses a number that JavaScript would change', () => {
    expect(validate({ properties: { a: { maximum: 9007199254740992 } } }, '{"a":9007199254740993}')).toMatchObject({
      valid: false,
      pointer: '/a',
    });
  });

  it.each([
    ['an exponential pattern', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}b`],
    ['an exponential tree of references', doubling, {}],
    ['a schema that refers to itself', { $ref: '#' }, {}],
    ['a value that compares itself', { const: { a: 1 } }, { valueOf: 1 }],
  ])('ends with a sentence for %s', (_, schema, value) => {
    expect(check(schema)).toEqual({ problems: [] });
    const answered = validate(schema, typeof value === 'string' ? JSON.stringify(value) : value);
    expect(answered).toMatchObject({ valid: false, pointer: '', message: expect.stringMatching(/\.$/) });
  });

  it('evaluates references inside the document, with anchors', () => {
    const tree = {
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { child: { $dynamicRef: '#node' } },
      additionalProperties: false,
    };
    expect(validate(tree, { child: { child: {} } })).toEqual({ valid: true });
    expect(validate(tree, { child: { child: 1 } })).toMatchObject({ valid: false, pointer: '/child/child' });
    expect(
      validate({ $ref: '#/$defs/a', $defs: { a: { $ref: '#b' }, c: { $anchor: 'b', type: 'null' } } }, {}),
    ).toMatchObject({ valid: false });
  });
});
