import { bestRank, createMatcher } from '#shared/search/rank';
import type { Entry } from './entry.ts';

/** Returns the entries that match a text, best first, and otherwise in their order. */
export function matchEntries(entries: readonly Entry[], text: string): Entry[] {
  const { rankName } = createMatcher(text);
  return entries
    .map((entry) => ({
      entry,
      rank: bestRank(rankName(entry.label), rankName(`${entry.label} ${entry.keywords ?? ''}`)),
    }))
    .filter((one) => one.rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ entry }) => entry);
}
