import { describe, expect, it } from 'vitest';
import { createSequence } from './sequence.ts';

const meanings = new Map([
  ['h', 'home'],
  ['g', 'graph'],
]);

describe('createSequence', () => {
  it('reads the key behind the first one', () => {
    const read = createSequence('g', meanings);
    expect(['g', 'h', 'h'].map((key, index) => read(key, index))).toEqual([undefined, 'home', undefined]);
  });

  it('reads the first key as a second one too', () => {
    const read = createSequence('g', meanings);
    expect(['g', 'g', 'h'].map((key, index) => read(key, index))).toEqual([undefined, 'graph', undefined]);
  });

  it('ends with another key, and after a while', () => {
    const read = createSequence('g', meanings);
    expect(['g', 'x', 'h'].map((key, index) => read(key, index))).toEqual([undefined, undefined, undefined]);
    read('g', 10);
    expect(read('h', 1_509)).toBe('home');
    read('g', 10_000);
    expect(read('h', 11_500)).toBeUndefined();
  });
});
