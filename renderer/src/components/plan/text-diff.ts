import { type DiffLine, markPairs } from '../code/diff-line.ts';
import { align } from './align.ts';

export type LineBlock = { kind: 'lines'; lines: DiffLine[] } | { kind: 'fold'; lines: DiffLine[] };

/** Splits a text into lines. A final newline ends the last line and does not start another. */
function linesOf(text: string | undefined): string[] {
  const lines = text?.split('\n') ?? [];
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Returns the line diff of two texts; an undefined side is absent. */
export function diffLines(before: string | undefined, after: string | undefined): DiffLine[] {
  const left = linesOf(before);
  const right = linesOf(after);
  const lines = align(left, right).map((pair): DiffLine => {
    if (pair.before === undefined) return { kind: 'add', text: right[pair.after!] ?? '', afterNo: pair.after! + 1 };
    const text = left[pair.before] ?? '';
    if (pair.after === undefined) return { kind: 'remove', text, beforeNo: pair.before + 1 };
    return { kind: 'same', text, beforeNo: pair.before + 1, afterNo: pair.after + 1 };
  });
  markPairs(lines);
  return lines;
}

/** Folds unchanged lines; `around` lines of context stay on each side, and short runs are not folded. */
export function foldLines(lines: readonly DiffLine[], around = 3): LineBlock[] {
  const isNear = lines.map(() => false);
  for (const [index, line] of lines.entries())
    if (line.kind !== 'same') isNear.fill(true, Math.max(index - around, 0), index + around + 1);
  const blocks: LineBlock[] = [];
  for (const [index, line] of lines.entries()) {
    const kind = isNear[index] ? 'lines' : 'fold';
    const last = blocks.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else blocks.push({ kind, lines: [line] });
  }
  return blocks.map((block) => (block.lines.length < 3 ? { ...block, kind: 'lines' } : block));
}
