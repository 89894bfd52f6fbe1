import { describe, expect, it } from 'vitest';
import { bestRank, createMatcher, ranks } from './rank.ts';

const rankName = (query: string, name: string) => createMatcher(query).rankName(name);
const { exact, prefix, wordPrefix, part } = ranks;

describe('rankName', () => {
  it.each([
    ['billing', 'billing', exact],
    ['Billing', 'bILLing', exact],
    ['bill', 'billing', prefix],
    ['billing', 'prod-billing', wordPrefix],
    ['bill', 'prod/billing', wordPrefix],
    ['bill', 'prod_billing', wordPrefix],
    ['art', 'cart', part],
    ['prod bill', 'billing of prod', wordPrefix],
    ['prod art', 'cart of prod', part],
    ['\uff30\uff32\uff2f\uff24', 'prod', exact],
    ['設定', '表示の設定', part],
    ['ab', 'xab-abc', wordPrefix],
  ])('ranks %s in %s', (query, name, rank) => {
    expect(rankName(query, name)).toBe(rank);
  });

  it('requires every word, and a text', () => {
    expect(rankName('prod bill', 'billing')).toBeUndefined();
    expect(rankName(' ', 'billing')).toBeUndefined();
    expect(rankName('.*', 'billing')).toBeUndefined();
  });
});

describe('rankId', () => {
  it('matches a whole id, or a part of at least six characters', () => {
    const rankId = (query: string) => createMatcher(query).rankId('cap_01234567');
    expect(rankId('CAP_01234567')).toBe(exact);
    expect(rankId('012345')).toBe(part);
    expect(rankId('01234')).toBeUndefined();
  });
});

describe('bestRank', () => {
  it('is undefined only when nothing matches', () => {
    expect(bestRank(undefined, part, prefix, undefined)).toBe(prefix);
    expect(bestRank(undefined)).toBeUndefined();
  });
});
