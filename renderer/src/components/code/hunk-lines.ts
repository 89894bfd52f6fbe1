import type { CodeHunk } from '#shared/sources/code';
import { type DiffLine, markPairs } from './diff-line.ts';

/** A line that says that the file ends without a line end. */
const noEnd = '\\ ';

/** Returns the numbered lines of a hunk, with the parts that differ marked in pairs of lines. */
export function linesOfHunk({ beforeLine, afterLine, lines }: CodeHunk): DiffLine[] {
  let [before, after] = [beforeLine, afterLine];
  const numbered = lines.flatMap((line): DiffLine[] => {
    const text = line.slice(1);
    if (line.startsWith(noEnd)) return [];
    if (line.startsWith('+')) return [{ kind: 'add', text, afterNo: after++ }];
    if (line.startsWith('-')) return [{ kind: 'remove', text, beforeNo: before++ }];
    return [{ kind: 'same', text, beforeNo: before++, afterNo: after++ }];
  });
  markPairs(numbered);
  return numbered;
}

/** Reports whether the lines themselves are equal, so that only the end of the last one differs. */
export const onlyEndDiffers = (hunks: readonly CodeHunk[]): boolean =>
  hunks.length > 0 && hunks.some(({ lines }) => lines.some((line) => line.startsWith(noEnd)));
