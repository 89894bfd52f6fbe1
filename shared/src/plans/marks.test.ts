import { describe, expect, it } from 'vitest';
import { isSensitiveMark, isUnknownMark } from './marks.ts';

describe('the mark of a sensitive value', () => {
  it('can state whether the value changes and whether that can be known', () => {
    expect(isSensitiveMark({ $svc: 'sensitive' })).toBe(true);
    expect(isSensitiveMark({ $svc: 'sensitive', changed: true })).toBe(true);
    expect(isSensitiveMark({ $svc: 'sensitive', comparable: false })).toBe(true);
  });

  it('is not a value of a module that has other members', () => {
    for (const value of [
      { $svc: 'sensitive', command: 'rm' },
      { $svc: 'sensitive', changed: 'rm' },
      { $svc: 'sensitive', toString: 'rm' },
      { $svc: 'other' },
      ['sensitive'],
      null,
    ])
      expect(isSensitiveMark(value), JSON.stringify(value)).toBe(false);
  });
});

it('the mark of a value that is known after the apply has one member', () => {
  expect(isUnknownMark({ $svc: 'unknown' })).toBe(true);
  expect(isUnknownMark({ $svc: 'unknown', hidden: 1 })).toBe(false);
});
