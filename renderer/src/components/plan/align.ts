// Only the part for lists: the index would bring 5 kB of word and sentence rules to the page.
import { diffArrays } from 'diff/lib/diff/array.js';

/** Indices of matching items on both sides; one is missing where an item was added or removed. */
export type Pair = { before?: number; after?: number };

/** Beyond this many differences, a shortest edit script costs more than it is worth. */
const maxDifferences = 1_500;

/** A number of consecutive items that are on both sides, or on one. */
type Change = { count: number; added: boolean; removed: boolean };
const common = (count: number): Change => ({ count, added: false, removed: false });

/**
 * Aligns two sequences by a longest common subsequence. Between two matches all removals come before all additions. The
 * common ends stay matched where the rest differs in too many items to be aligned.
 */
export function align(before: readonly string[], after: readonly string[]): Pair[] {
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < limit - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const left = before.slice(start, before.length - end);
  const right = after.slice(start, after.length - end);
  const changes = diffArrays(left, right, { maxEditLength: maxDifferences }) ?? [
    { count: left.length, added: false, removed: true },
    { count: right.length, added: true, removed: false },
  ];
  return pairsOf([common(start), ...changes, common(end)]);
}

function pairsOf(changes: readonly Change[]): Pair[] {
  let before = 0;
  let after = 0;
  return changes.flatMap(({ count, added, removed }) =>
    Array.from({ length: count }, (): Pair => {
      if (added) return { after: after++ };
      return removed ? { before: before++ } : { before: before++, after: after++ };
    }),
  );
}
