import { describe, expect, it } from 'vitest';
import { ExactNumber } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import { parseType, type VariableType } from '#shared/variables/type-expression';
import { blankDraft, type Draft, draftOf, newItem, newPair } from './draft.ts';
import { inputOf, inView, outcomeOf } from './entry.ts';
import { readDraft } from './read-draft.ts';

const typeOf = (text: string): VariableType => parseType(text) ?? { kind: 'any' };
const read = (type: string, draft: Draft) => readDraft(typeOf(type), draft, { nullable: false });
const text = (value: string): Draft => ({ kind: 'text', text: value });

describe('a draft', () => {
  it.each<[string, Json]>([
    ['string', 'a'],
    ['number', 3.5],
    ['bool', false],
    ['list(string)', ['a', 'b']],
    ['set(number)', [1, 2]],
    ['map(bool)', { a: true }],
    ['tuple([string, number])', ['x', 1]],
    ['object({ a = string, b = optional(list(object({ c = number }))) })', { a: 'x', b: [{ c: 1 }] }],
    ['list(list(list(list(string))))', [[[['deep']]]]],
    ['any', { free: [1, null] }],
  ])('of %s gives back the value it was made from', (type, value) => {
    const draft = draftOf(typeOf(type), value);
    expect(draft && read(type, draft)).toEqual({ ok: true, value });
  });

  it('is undefined when the value does not match the type', () => {
    expect(draftOf(typeOf('list(string)'), 'a')).toBeUndefined();
    expect(draftOf(typeOf('object({ a = string })'), { a: 'x', other: 1 })).toBeUndefined();
  });

  it('keeps a number that a double cannot hold as a text', () => {
    const long = ExactNumber.read('12345678901234567891');
    expect(read('number', text('12345678901234567891'))).toEqual({ ok: true, value: long });
    expect(read('number', text(' 1e3 '))).toEqual({ ok: true, value: 1000 });
  });

  it('names the location of a problem', () => {
    const ports: Draft = { kind: 'items', items: [newItem(text('80')), newItem(text('x'))] };
    expect(read('set(number)', ports)).toMatchObject({ problem: { pointer: '/1', text: 'input.expected.number' } });
    const twice: Draft = { kind: 'pairs', pairs: [newPair('a', text('1')), newPair('a', text('2'))] };
    expect(read('map(string)', twice)).toMatchObject({ problem: { pointer: '/1', text: 'input.keyTwice' } });
    const json: Draft = { kind: 'json', text: '{"a": [1, {}]}' };
    expect(read('object({ a = list(string) })', json)).toMatchObject({
      problem: { pointer: '/a/1', text: 'input.expected.string' },
    });
    expect(read('object({ a = string })', { kind: 'json', text: '{}' })).toMatchObject({
      problem: { pointer: '/a', text: 'input.missing', values: { place: 'a' } },
    });
  });

  it('of JSON rejects text that is not strict JSON', () => {
    for (const bad of ['{', '{"a":1,"a":2}', '{"__proto__":1}'])
      expect(read('any', { kind: 'json', text: bad })).toMatchObject({ problem: { text: 'input.notJson' } });
  });

  it('starts with what the type requires and nothing else', () => {
    expect(blankDraft(typeOf('object({ a = string, b = optional(string) })'))).toEqual({
      kind: 'members',
      members: { a: text('') },
    });
  });
});

describe('an input', () => {
  const declared = { name: 'size', type: 'number' as const, typeText: 'number', hasDefault: true, default: 3 };

  it('sends nothing when untouched, and reports a required one as missing', () => {
    expect(outcomeOf(inputOf(declared), {})).toEqual({ kind: 'untouched' });
    expect(outcomeOf(inputOf({ ...declared, hasDefault: false }), {})).toMatchObject({
      problem: { text: 'input.required' },
    });
  });

  it('with a sealed value is not missing', () => {
    expect(outcomeOf(inputOf({ ...declared, hasDefault: false }, ['size']), {})).toEqual({ kind: 'untouched' });
  });

  it('accepts null only when the variable is nullable', () => {
    const entry = { draft: { kind: 'null' } as const };
    expect(outcomeOf(inputOf(declared), entry)).toEqual({ kind: 'value', value: null });
    expect(outcomeOf(inputOf({ ...declared, nullable: false }), entry)).toMatchObject({ kind: 'problem' });
  });

  it('holds a credential only as a secret', () => {
    const input = inputOf({ name: 'key', type: 'string', typeText: 'string', hasDefault: true });
    const entry = { draft: text('ghp_abcdefghijklmnop') };
    expect(outcomeOf(input, entry)).toMatchObject({ problem: { text: 'input.looksSecret' } });
    expect(outcomeOf(input, { ...entry, isSecret: true })).toMatchObject({ kind: 'value' });
  });

  it('keeps its value between fields and JSON, or stays in the view that fits', () => {
    const input = inputOf({ name: 'zones', type: 'json', typeText: 'list(string)', hasDefault: true });
    const draft: Draft = { kind: 'items', items: [newItem(text('a'))] };
    const asJson = inView(input, { draft }, 'json');
    expect(asJson?.draft).toEqual({ kind: 'json', text: '[\n  "a"\n]' });
    expect(asJson && inView(input, asJson, 'fields')?.draft).toMatchObject({ items: [{ draft: text('a') }] });
    expect(inView(input, { view: 'json', draft: { kind: 'json', text: '{}' } }, 'fields')).toBeUndefined();
  });
});
