/** Thrown for a text outside the subset, which includes every invalid text. A constant: no one reads its stack. */
const outsideSubset = new Error('The text is outside the subset.');

/** Ends the attempt. Another parser decides whether the text is valid. */
export function leaveSubset(): never {
  throw outsideSubset;
}

export const isOutsideSubset = (error: unknown): boolean => error === outsideSubset;

/** Position in a text. Line breaks count as tokens unless brackets make them spaces. */
export type Cursor = {
  readonly text: string;
  at: number;
  /** True where a line break ends an expression. */
  lineBreaks: boolean;
  /** Levels of brackets, templates and blocks around the position. */
  depth: number;
};

/** Deeper nesting is left to the other parser, which has its own limit. */
const maxDepth = 64;

/** Runs a step one level deeper. `lineBreaks` is true when line breaks are tokens inside. */
export function nested<T>(cursor: Cursor, lineBreaks: boolean, step: (cursor: Cursor) => T): T {
  const outer = cursor.lineBreaks;
  cursor.lineBreaks = lineBreaks;
  cursor.depth += 1;
  if (cursor.depth > maxDepth) leaveSubset();
  const result = step(cursor);
  cursor.lineBreaks = outer;
  cursor.depth -= 1;
  return result;
}

const [tab, lineBreak, carriageReturn, space, hash, star, slash] = [9, 10, 13, 32, 35, 42, 47];

/**
 * Skips spaces and comments, and line breaks where they are no tokens. Returns the code of the next character, or NaN. A
 * carriage return stands before every line break or before none.
 */
export function peek(cursor: Cursor): number {
  const { text } = cursor;
  for (;;) {
    const code = text.charCodeAt(cursor.at);
    if (code === space || code === tab || code === carriageReturn) cursor.at += 1;
    else if (code === lineBreak && !cursor.lineBreaks) cursor.at += 1;
    else if (code === hash || (code === slash && text.charCodeAt(cursor.at + 1) === slash)) skipLine(cursor);
    else if (code === slash && text.charCodeAt(cursor.at + 1) === star) skipComment(cursor);
    else return code;
  }
}

/** Moves to the line break that ends a comment; it is a token like any other. */
function skipLine(cursor: Cursor): void {
  const end = cursor.text.indexOf('\n', cursor.at);
  cursor.at = end < 0 ? cursor.text.length : end;
}

function skipComment(cursor: Cursor): void {
  const end = cursor.text.indexOf('*/', cursor.at + 2);
  if (end < 0) leaveSubset();
  cursor.at = end + 2;
}

/** Reads past the given text when it comes next. */
export function accept(cursor: Cursor, wanted: string): boolean {
  peek(cursor);
  if (!cursor.text.startsWith(wanted, cursor.at)) return false;
  cursor.at += wanted.length;
  return true;
}

export function expect(cursor: Cursor, wanted: string): void {
  if (!accept(cursor, wanted)) leaveSubset();
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Reads an ASCII name, which may contain dashes; undefined when none comes next. */
export function readName(cursor: Cursor): string | undefined {
  if (!isLetter(peek(cursor))) return undefined;
  const { text, at } = cursor;
  let end = at + 1;
  for (let code = text.charCodeAt(end); isLetter(code) || isDigit(code) || code === 45; code = text.charCodeAt(end))
    end += 1;
  cursor.at = end;
  return text.slice(at, end);
}

/** Reads a keyword when it comes next as a whole name. */
export function acceptKeyword(cursor: Cursor, keyword: string): boolean {
  peek(cursor);
  const start = cursor.at;
  if (readName(cursor) === keyword) return true;
  cursor.at = start;
  return false;
}
