import { describe, expect, it } from 'vitest';
import { caseName, filtersOf, goalOf, selectVariants } from './run-variants.ts';

describe('the variants of a Run', () => {
  it('are all combinations without a filter', () => {
    const names = selectVariants([]).map((variant) => filtersOf(variant).join(' '));
    expect(new Set(names).size).toBe(8);
  });

  it('are those of a filter, on the other axes whole', () => {
    const chosen = selectVariants(['providers', 'root']);
    expect(chosen.map(({ pace }) => pace)).toEqual(['reading', 'back-to-back']);
    expect(chosen.every(({ module, user }) => module === 'providers' && user === 'root')).toBe(true);
  });

  it('are both of two filters of one axis', () => {
    expect(selectVariants(['root', 'ordinary', 'providers', 'reading'])).toHaveLength(2);
  });

  it('are selected again by the filters of one of them', () => {
    for (const variant of selectVariants([])) expect(selectVariants(filtersOf(variant))).toEqual([variant]);
  });

  it('are refused for an unknown filter', () => {
    expect(() => selectVariants(['sometimes'])).toThrow('terraform-data');
  });

  it('have a goal where the step has one', () => {
    const [variant] = selectVariants(['providers', 'reading', 'ordinary']);
    if (variant === undefined) throw new Error('The filters select no variant.');
    expect(goalOf(variant, 'next plan')).toBe(0.7);
    expect(goalOf({ ...variant, pace: 'back-to-back' }, 'first plan')).toBeUndefined();
    expect(caseName(variant, 'next plan')).toBe('next plan, providers, reading, ordinary');
  });
});
