/** Half-open range of a text, in UTF-16 units. */
export type TextRange = { start: number; end: number };
/** Replacement of a range; an empty range is an insertion. */
export type TextEdit = TextRange & { text: string };

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((left, right) => left.start - right.start || left.end - right.end)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
