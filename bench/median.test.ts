import { describe, expect, it } from 'vitest';
import { compare, median } from './median.ts';

describe('the median', () => {
  it('is the middle of an odd number of samples, whatever their order', () => {
    expect(median([30, 10, 20])).toBe(20);
  });

  it('is the mean of the two middle ones of an even number', () => {
    expect(median([40, 10, 20, 30])).toBe(25);
  });

  it('does not exist without samples', () => {
    expect(() => median([])).toThrow('at least one sample');
  });
});

describe('a comparison', () => {
  it('divides the medians of both sides and states the spread of each', () => {
    expect(compare('apply', [12, 11, 90], [10, 9, 11], 1.3)).toEqual({
      case: 'apply',
      ratio: 1.2,
      goal: 1.3,
      ratioRange: [1.2, 8.18],
      medianMs: 12,
      rangeMs: [11, 90],
      baselineMs: 10,
      baselineRangeMs: [9, 11],
      samples: 3,
    });
  });

  it('has no rounds when one side was measured more often', () => {
    expect(compare('copy', [12, 14], [10])).not.toHaveProperty('ratioRange');
  });
});
