/** Indices of matching items on both sides; one is missing where an item was added or removed. */
export type Pair = { before?: number; after?: number };

/** Beyond this many differences, a shortest edit script costs more than it is worth. */
const maxDifferences = 1_500;

/**
 * Aligns two sequences by a longest common subsequence (Myers, "An O(ND) Difference Algorithm"). Between two matches all
 * removals come before all additions.
 */
export function align(before: readonly string[], after: readonly string[]): Pair[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const limit = Math.min(before.length, after.length) - start;
  while (end < limit && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const head = Array.from({ length: start }, (_, index) => ({ before: index, after: index }));
  const tail = Array.from({ length: end }, (_, index) => ({
    before: before.length - end + index,
    after: after.length - end + index,
  }));
  const middle = script(before.slice(start, before.length - end), after.slice(start, after.length - end));
  const moved = middle.map((pair) => ({
    ...(pair.before !== undefined && { before: pair.before + start }),
    ...(pair.after !== undefined && { after: pair.after + start }),
  }));
  return [...head, ...removalsFirst(moved), ...tail];
}

function script(before: readonly string[], after: readonly string[]): Pair[] {
  if (before.length === 0 || after.length === 0) return apart(before.length, after.length);
  const trace = search(before, after);
  return trace ? backtrack(trace, before.length, after.length) : apart(before.length, after.length);
}

const apart = (removed: number, added: number): Pair[] => [
  ...Array.from({ length: removed }, (_, index) => ({ before: index })),
  ...Array.from({ length: added }, (_, index) => ({ after: index })),
];

/**
 * Returns the furthest position on every diagonal, for every number of differences; undefined when there are too many.
 */
function search(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const most = Math.min(before.length + after.length, maxDifferences);
  const trace: Int32Array[] = [];
  let furthest = new Int32Array(3);
  for (let d = 0; d <= most; d += 1) {
    const next = new Int32Array(2 * d + 3);
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : stepFrom(furthest, d, k);
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1;
      next[k + d + 1] = x;
      if (x >= before.length && x - k >= after.length) return [...trace, next];
    }
    trace.push(next);
    furthest = next;
  }
  return undefined;
}

/** Rows of `search` start at diagonal `-d - 1`. */
const at = (row: Int32Array, d: number, k: number): number => row[k + d + 1] ?? 0;

const isDown = (row: Int32Array, d: number, k: number): boolean =>
  k === -d || (k !== d && at(row, d - 1, k - 1) < at(row, d - 1, k + 1));

const stepFrom = (row: Int32Array, d: number, k: number): number =>
  isDown(row, d, k) ? at(row, d - 1, k + 1) : at(row, d - 1, k - 1) + 1;

function backtrack(trace: readonly Int32Array[], lengthBefore: number, lengthAfter: number): Pair[] {
  const pairs: Pair[] = [];
  let x = lengthBefore;
  let y = lengthAfter;
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const row = trace[d - 1] as Int32Array;
    const k = x - y;
    const down = isDown(row, d, k);
    const startX = at(row, d - 1, down ? k + 1 : k - 1);
    const startY = startX - (down ? k + 1 : k - 1);
    while (x > startX && y > startY) pairs.push({ before: --x, after: --y });
    pairs.push(down ? { after: --y } : { before: --x });
  }
  while (x > 0 && y > 0) pairs.push({ before: --x, after: --y });
  return pairs.reverse();
}

function removalsFirst(pairs: readonly Pair[]): Pair[] {
  const sorted: Pair[] = [];
  let added: Pair[] = [];
  for (const pair of pairs) {
    if (pair.before === undefined) added.push(pair);
    else if (pair.after === undefined) sorted.push(pair);
    else {
      sorted.push(...added, pair);
      added = [];
    }
  }
  return [...sorted, ...added];
}
