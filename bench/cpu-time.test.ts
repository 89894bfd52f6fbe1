import { describe, expect, it } from 'vitest';
import { parseCpuTime } from './cpu-time.ts';

describe('the processor time of a process', () => {
  const stat = '42 (a) b (c) S 1 42 42 0 -1 4194304 100 200 3 4 11 7 500 32 20 0 12 0 900 1000 200';

  it('adds own times and those of ended children, after a name with spaces and parentheses', () => {
    expect(parseCpuTime(stat)).toBe(5_500);
  });

  it('is that of the ended children alone', () => {
    expect(parseCpuTime(stat, 'children')).toBe(5_320);
  });
});
