/** One line of a changed text. `mark` is the part that differs from its counterpart. */
export type DiffLine = {
  kind: 'same' | 'add' | 'remove';
  text: string;
  beforeNo?: number;
  afterNo?: number;
  mark?: readonly [number, number];
};

/** Pairs removed with added lines where their numbers are equal. */
export function markPairs(lines: DiffLine[]): void {
  let index = 0;
  while (index < lines.length) {
    const removed = runLength(lines, index, 'remove');
    const added = runLength(lines, index + removed, 'add');
    if (removed > 0 && removed === added)
      for (let step = 0; step < removed; step += 1)
        markDifference(lines[index + step]!, lines[index + removed + step]!);
    index += Math.max(removed + added, 1);
  }
}

function runLength(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return end - from;
}

function markDifference(left: DiffLine, right: DiffLine): void {
  const range = differingRange(left.text, right.text);
  if (!range) return;
  left.mark = range.before;
  right.mark = range.after;
}

/** Returns the differing middle, or undefined when the texts have too little in common. */
export function differingRange(
  before: string,
  after: string,
): { before: readonly [number, number]; after: readonly [number, number] } | undefined {
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < limit - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  // Never split a surrogate pair.
  if (isLow(before, start) || isLow(after, start)) start -= 1;
  if (end > 0 && (isLow(before, before.length - end) || isLow(after, after.length - end))) end -= 1;
  if ((start + end) * 3 < Math.max(before.length, after.length)) return undefined;
  return { before: [start, before.length - end], after: [start, after.length - end] };
}

const isLow = (text: string, index: number): boolean => /[\udc00-\udfff]/.test(text[index] ?? '');
