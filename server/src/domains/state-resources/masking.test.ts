import { describe, expect, it } from 'vitest';
import { ExactNumber } from '#shared/kernel/exact-number';
import type { Json, JsonObject } from '#shared/kernel/json';
import { sensitiveMark } from '#shared/vendor';
import { stateText } from '../../../test/state-fixture.ts';
import { changesOf } from './changes.ts';
import { createDigest } from './digest.ts';
import { addMarks, createLateMarks, noLateMarks } from './late-marks.ts';
import { maskAgain } from './mask.ts';
import { projectState } from './project.ts';
import { withChanges, withoutDigests } from './shown.ts';
import type { IndexEntry } from './stored.ts';

const digestKey = 'k';
const digest = createDigest(digestKey);
type Objects = Parameters<typeof stateText>[0];

const project = (objects: Objects, secrets: string[] = []) => projectState(stateText(objects), { secrets, digestKey });
/** Shown attributes of the first object by address. */
const shown = (objects: Objects, secrets?: string[]): Json =>
  withoutDigests(project(objects, secrets).pages[0]?.[0]?.attributes ?? null);
const one = (attributes: Json, ...sensitive: (string | number)[][]): Objects => [{ name: 'a', attributes, sensitive }];

describe('a mark', () => {
  it('hides an attribute, an element of a list and a member of an object', () => {
    expect(shown(one({ a: 'secret', b: [{ c: 'x1' }, { c: 'y1' }] }, ['a'], ['b', 1, 'c']))).toEqual({
      a: sensitiveMark,
      b: [{ c: 'x1' }, { c: sensitiveMark }],
    });
  });

  it('skips the member `value` of an attribute of dynamic type', () => {
    expect(shown(one({ in: { value: { a: 'x1', b: 'y1' }, type: 'dynamic' } }, ['in', 'a']))).toEqual({
      in: { value: { a: sensitiveMark, b: 'y1' }, type: 'dynamic' },
    });
  });

  it('covers the value of an attribute of dynamic type, which is shown without its type', () => {
    const dynamic = (value: Json) => ({ value, type: 'string' });
    const objects = [
      { name: 'a', attributes: { in: dynamic('secret-text') }, sensitive: [['in']] },
      { name: 'b', attributes: { in: dynamic('open'), kind: 'string' }, sensitive: [] },
    ];
    const [page] = project(objects).pages;
    expect(page?.map(({ attributes }) => withoutDigests(attributes ?? null))).toEqual([
      { in: sensitiveMark },
      { in: 'open', kind: 'string' },
    ]);
  });

  it('hides both readings of a value that can be read in two ways', () => {
    expect(shown(one({ in: { value: 'x1', type: 'y1' } }, ['in', 'type']))).toEqual({
      in: { value: sensitiveMark, type: sensitiveMark },
    });
  });

  it('hides the nearest ancestor when its path does not resolve', () => {
    expect(shown(one({ in: { a: 'x1' }, out: 'y1' }, ['in', 'gone', 'b']))).toEqual({ in: sensitiveMark, out: 'y1' });
    expect(shown(one({ in: 'x1' }, ['gone']))).toEqual(sensitiveMark);
  });
});

describe('a marked text', () => {
  const copyOf = (secret: string, copy: Json): Json =>
    (shown(one({ a: secret, copy }, ['a'])) as JsonObject)['copy'] ?? null;

  it('of 4 characters or more counts everywhere, a shorter one only in its place', () => {
    expect(copyOf('abcd', 'abcd')).toEqual(sensitiveMark);
    expect(copyOf('abc', 'abc')).toBe('abc');
    expect(copyOf('abcd', 'x-abcd-x')).toBe('x-abcd-x');
  });

  it('of 8 bytes or more counts inside of others, also encoded', () => {
    const secret = 'secret-text';
    for (const copy of [`x${secret}x`, btoa(`ab${secret}`), Buffer.from(secret).toString('hex')])
      expect(copyOf(secret, copy)).toEqual(sensitiveMark);
  });

  it('counts as a key', () => {
    expect(copyOf('secret-text', { 'secret-text': 1 })).toEqual({ '[redacted 0]': 1 });
  });

  it('counts as a key of an instance', () => {
    const objects: Objects = [{ name: 'a', key: 'secret-text', attributes: { t: 'secret-text' }, sensitive: [['t']] }];
    expect(project(objects).pages[0]).toMatchObject([{ address: 'test_thing.a["[redacted]"]', index: '[redacted]' }]);
  });
});

it('a secret of the Run is hidden in every encoding', () => {
  const secret = 'pass word&1';
  const attributes = { a: encodeURIComponent(secret), b: btoa(secret), c: 'open' };
  expect(shown(one(attributes), [secret])).toEqual({ a: sensitiveMark, b: sensitiveMark, c: 'open' });
});

it('numbers keep their digits', () => {
  const text = stateText(one({ n: 0 })).replace('"n":0', '"n":9007199254740993');
  const { pages } = projectState(text, { secrets: [], digestKey });
  expect(pages[0]?.[0]?.attributes).toEqual({ n: ExactNumber.read('9007199254740993') });
});

it('a value that nests too deep is refused', () => {
  const deep = Array.from({ length: 300 }).reduce<Json>((inner) => [inner], 'x');
  expect(() => project(one({ deep }))).toThrow('deeper than 200 levels');
});

it('a sensitive value that differs is marked as changed', () => {
  const mark = (value: string) => ({ ...sensitiveMark, digest: digest(value) });
  expect(withChanges({ a: mark('x'), b: mark('y') }, { a: mark('x'), b: 'other' }, digest)).toEqual({
    a: sensitiveMark,
    b: { ...sensitiveMark, changed: true },
  });
  // The same value, not sensitive before.
  expect(withChanges(mark('x'), 'x', digest)).toEqual(sensitiveMark);
});

describe('a path that is marked later', () => {
  const marks = addMarks(noLateMarks, {
    generation: 3,
    marks: new Map([['x.b', [['token'], ['gone', 'deep']]]]),
    moves: [{ from: 'x.a', to: 'x.b' }],
  });

  it('is hidden in earlier generations, also under the address before a move', () => {
    const hide = (generation: number, address: string) =>
      withoutDigests(maskAgain({ token: 't', size: 1 }, createLateMarks(marks, generation)(address), digest));
    expect(hide(2, 'x.a')).toEqual({ token: sensitiveMark, size: 1 });
    expect(hide(2, 'x.b')).toEqual({ token: sensitiveMark, size: 1 });
    expect(hide(3, 'x.a')).toEqual({ token: 't', size: 1 });
    expect(hide(2, 'x.other')).toEqual({ token: 't', size: 1 });
  });
});

describe('changes between two states', () => {
  const entry = (address: string, value: string, more: Partial<IndexEntry> = {}): IndexEntry => ({
    address,
    digest: value,
    page: 0,
    ...more,
  });

  it('are created, changed, deleted and forgotten objects, without data sources and deposed ones', () => {
    const before = [entry('a', '1'), entry('b', '1'), entry('c', '1'), entry('d', '1')];
    const after = [entry('a', '2'), entry('b', '1'), entry('e', '1'), entry('f', '1', { isData: true })];
    const planned = [{ address: 'd', actions: ['forget' as const] }];
    expect(changesOf(before, [...after, entry('b', '9', { deposed: 'x' })], planned)).toEqual([
      { address: 'a', change: 'changed' },
      { address: 'e', change: 'created' },
      { address: 'c', change: 'deleted' },
      { address: 'd', change: 'forgotten' },
    ]);
  });

  it('are moves and replaces that the plan announced and the states confirm', () => {
    const move = { address: 'b', previousAddress: 'a', actions: ['no-op' as const] };
    expect(changesOf([entry('a', '1')], [entry('b', '1')], [move])).toEqual([
      { address: 'b', change: 'moved', previousAddress: 'a' },
    ]);
    // The apply ended before the move.
    expect(changesOf([entry('a', '1')], [entry('a', '1')], [move])).toEqual([]);
    const replace = { address: 'a', actions: ['delete' as const, 'create' as const] };
    expect(changesOf([entry('a', '1')], [entry('a', '2')], [replace])).toEqual([{ address: 'a', change: 'replaced' }]);
    expect(changesOf([entry('a', '1')], [entry('a', '1')], [replace])).toEqual([]);
  });
});
