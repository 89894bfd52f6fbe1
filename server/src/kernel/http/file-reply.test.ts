import { describe, expect, it } from 'vitest';
import { findSpan } from './file-reply.ts';

const entityTag = '"d"';
const spanOf = (range: string | undefined, ifRange?: string) => findSpan({ range, ifRange, entityTag }, 100);

describe('findSpan', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=10-', { start: 10, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=90-1000', { start: 90, end: 99 }],
  ])('returns the part of %s', (range, span) => {
    expect(spanOf(range)).toEqual(span);
  });

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('refuses %s, which is after the end', (range) => {
    expect(spanOf(range)).toBe('unsatisfiable');
  });

  it.each([undefined, '', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'lines=0-1', 'bytes=a-b'])(
    'returns the whole file for %s',
    (range) => {
      expect(spanOf(range)).toBeUndefined();
    },
  );

  it('returns the whole file when the part is of another version', () => {
    expect(spanOf('bytes=0-0', '"other"')).toBeUndefined();
    expect(spanOf('bytes=0-0', entityTag)).toEqual({ start: 0, end: 0 });
  });
});
