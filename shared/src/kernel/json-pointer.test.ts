import { describe, expect, it } from 'vitest';
import { findAtPointer, isJsonPointer } from './json-pointer.ts';

/** RFC 6901, 5. */
const document = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('findAtPointer', () => {
  it.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('returns the value of the RFC for %j', (pointer, value) => {
    expect(findAtPointer(document, pointer)).toEqual(value);
  });

  it.each(['/foo/00', '/foo/-', '/foo/2', '/foo/length', '/toString', '/constructor', '/foo/0/0', '/m~1n'])(
    'returns nothing for %j',
    (pointer) => {
      expect(findAtPointer(document, pointer)).toBeUndefined();
    },
  );
});

describe('isJsonPointer', () => {
  it.each(['', '/', '/a/b', '/~0~1', '//'])('accepts %j', (text) => {
    expect(isJsonPointer(text)).toBe(true);
  });
  it.each(['a', '/~', '/~2', '#/a'])('refuses %j', (text) => {
    expect(isJsonPointer(text)).toBe(false);
  });
});
