import { describe, expect, it } from 'vitest';
import { parseExactly } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import { sensitiveMark, unknownMark } from '#shared/vendor';
import { compareValues, withUnknown } from './compare-values.ts';

const secret = (digest?: string) => ({ ...sensitiveMark, ...(digest !== undefined && { digest }) });

describe('two values', () => {
  it('are the same when every member is', () => {
    const value = { a: [1, { b: null }], c: 'x' };
    expect(compareValues(value, structuredClone(value)).verdict).toBe('same');
    expect(compareValues(null, undefined).verdict).toBe('same');
  });

  it('differ in a member, in the length of a list, and in the last digit of a long number', () => {
    expect(compareValues({ a: 1 }, { a: 2 }).verdict).toBe('changed');
    expect(compareValues([1], [1, null]).verdict).toBe('changed');
    const [one, other] = ['9007199254740993', '9007199254740992'].map((text) => parseExactly(`{"n":${text}}`) as Json);
    expect(compareValues(one, other).verdict).toBe('changed');
  });

  it('differ where one of them is a list and the other is an object', () => {
    expect(compareValues([], {}).verdict).toBe('changed');
  });
});

describe('sensitive values', () => {
  it('are compared by their digests, which the result does not contain', () => {
    const same = compareValues({ p: secret('aa') }, { p: secret('aa') });
    expect(same).toEqual({ before: { p: sensitiveMark }, after: { p: sensitiveMark }, verdict: 'same' });
    const changed = compareValues({ p: secret('aa') }, { p: secret('bb') });
    expect(changed).toEqual({
      before: { p: sensitiveMark },
      after: { p: { ...sensitiveMark, changed: true } },
      verdict: 'changed',
    });
  });

  it('are uncertain when one of the plans has no digest of them', () => {
    const compared = compareValues({ p: secret('aa') }, { p: secret() });
    expect(compared.verdict).toBe('uncertain');
    expect(compared.after).toEqual({ p: { ...sensitiveMark, comparable: false } });
  });

  it('differ from values that are not', () => {
    expect(compareValues('x', secret('aa'))).toEqual({
      before: 'x',
      after: { ...sensitiveMark, changed: true },
      verdict: 'changed',
    });
    expect(compareValues(secret('aa'), 'x')).toEqual({ before: sensitiveMark, after: 'x', verdict: 'changed' });
  });

  it('make a text uncertain when they were redacted inside of it', () => {
    expect(compareValues('user:[redacted]', 'user:[redacted]').verdict).toBe('uncertain');
  });
});

describe('values that are known after the apply', () => {
  it('are marked where the tool leaves them out', () => {
    expect(withUnknown({ a: 1 }, { id: true, a: false })).toEqual({ a: 1, id: unknownMark });
    expect(withUnknown([1, null], [false, true])).toEqual([1, unknownMark]);
    expect(withUnknown(null, true)).toEqual(unknownMark);
  });

  it('leave a value without them as it is', () => {
    expect(withUnknown(null, {})).toBeNull();
    expect(withUnknown({ a: [] }, { a: [] })).toEqual({ a: [] });
  });

  it('are the same in two plans', () => {
    expect(compareValues(withUnknown({}, { id: true }), withUnknown({}, { id: true })).verdict).toBe('same');
  });
});
