import { expect, it } from 'vitest';
import { isSameJson, jsonDigest, recognizableValues } from './json.ts';

it('takes the digest over the canonical form, whatever the order of the members', () => {
  expect(jsonDigest({ b: 1, a: [2] })).toBe(jsonDigest({ a: [2], b: 1 }));
  // SHA-256 of `{}`.
  expect(jsonDigest({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});

it('compares members in any order, and lists in their order', () => {
  expect(isSameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
});

it('recognizes texts and numbers of eight characters at any depth, but no names of members', () => {
  const value = { 'name-of-a-member': ['a-long-text', 'short', { inner: 123_456_789 }], flag: true, none: null };
  expect(recognizableValues(value)).toEqual(['a-long-text', '123456789']);
});
