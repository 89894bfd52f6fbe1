import { type Cursor, expect, leaveSubset, nested } from './cursor.ts';
import type { Node } from './nodes.ts';

type Parts = (string | Node)[];
type Read = (cursor: Cursor) => Node;

/** Special characters of a quoted template: its end, an escape, a possible sequence, and a line break, which is an error. */
const special = /["\\$%\r\n]/g;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/** Reads a quoted template; the cursor is after its first quote. `read` reads an expression inside. */
export function readQuoted(cursor: Cursor, read: Read): Parts {
  const { text } = cursor;
  const parts: Parts = [];
  for (;;) {
    special.lastIndex = cursor.at;
    const match = special.exec(text);
    if (!match) leaveSubset();
    add(parts, text.slice(cursor.at, match.index));
    cursor.at = match.index + 1;
    if (match[0] === '"') return parts.length === 0 ? [''] : parts;
    if (match[0] === '\n' || match[0] === '\r') leaveSubset();
    if (match[0] === '\\') {
      add(parts, escapes[text[cursor.at] as string] ?? leaveSubset());
      cursor.at += 1;
    } else readSequence(cursor, match[0], parts, read);
  }
}

/** Adds a text; consecutive ones become one. */
function add(parts: Parts, text: string): void {
  const last = parts.at(-1);
  if (text === '') return;
  if (typeof last === 'string') parts[parts.length - 1] = last + text;
  else parts.push(text);
}

/**
 * Reads what `$` or `%` starts; the cursor is after it. An escaped sequence stays escaped in the result. Directives and
 * longer runs of signs leave the subset.
 */
function readSequence(cursor: Cursor, sign: string, parts: Parts, read: Read): void {
  const { text, at } = cursor;
  if (text[at] === sign) {
    if (text[at + 1] !== '{') leaveSubset();
    add(parts, `${sign}${sign}{`);
    cursor.at = at + 2;
  } else if (text[at] !== '{') {
    add(parts, sign);
  } else {
    if (sign === '%' || text[at + 1] === '~') leaveSubset();
    cursor.at = at + 1;
    parts.push(nested(cursor, false, () => readInterpolation(cursor, read)));
  }
}

function readInterpolation(cursor: Cursor, read: Read): Node {
  const node = read(cursor);
  expect(cursor, '}');
  return node;
}

const opening = /-?([A-Za-z_][\w-]*)\n/y;

/** Reads a heredoc; the cursor is after `<<`. Stops at the line break after its marker. */
export function readHeredoc(cursor: Cursor, read: Read): Parts {
  const { text } = cursor;
  opening.lastIndex = cursor.at;
  const [intro, marker] = opening.exec(text) ?? leaveSubset();
  cursor.at += intro.length;
  const lines: Parts[] = [];
  while (!readMarker(cursor, marker as string)) lines.push(readLine(cursor, read));
  const parts: Parts = [];
  for (const line of intro.startsWith('-') ? withoutIndentation(lines) : lines)
    for (const part of line) typeof part === 'string' ? add(parts, part) : parts.push(part);
  return parts.length === 0 ? [''] : parts;
}

/** Reads the line of the marker when it comes next. Spaces after it, and others than tabs and blanks, leave the subset. */
function readMarker(cursor: Cursor, marker: string): boolean {
  const { text, at } = cursor;
  const end = text.indexOf('\n', at);
  if (end < 0) leaveSubset();
  const line = text.slice(at, end);
  if (!line.includes(marker)) return false;
  if (/^[ \t]*/.exec(line)?.[0].length === line.length - marker.length && line.endsWith(marker)) {
    cursor.at = end;
    return true;
  }
  return line.replace(/[^\x21-\x7e]/g, '') === marker ? leaveSubset() : false;
}

const lineSpecial = /[$%\n]/g;

/** Reads one line of a heredoc with its line break; expressions may span lines. */
function readLine(cursor: Cursor, read: Read): Parts {
  const { text } = cursor;
  const parts: Parts = [];
  for (;;) {
    lineSpecial.lastIndex = cursor.at;
    const match = lineSpecial.exec(text);
    if (!match) leaveSubset();
    add(parts, text.slice(cursor.at, match.index));
    cursor.at = match.index + 1;
    if (match[0] !== '\n') readSequence(cursor, match[0], parts, read);
    else {
      add(parts, '\n');
      return parts;
    }
  }
}

/** Removes the indentation that all lines share; blank lines do not count and stay as they are. */
function withoutIndentation(lines: readonly Parts[]): Parts[] {
  const counted = lines.map((line) => ({ line, spaces: indentationOf(line) }));
  const shared = counted.reduce((least, { spaces = least }) => Math.min(least, spaces), Number.POSITIVE_INFINITY);
  return counted.map(({ line: [first, ...rest], spaces }) =>
    spaces === undefined || typeof first !== 'string' ? [first as Node, ...rest] : [first.slice(shared), ...rest],
  );
}

/** Returns the number of leading blanks and tabs, or undefined for a blank line. */
function indentationOf([first]: Parts): number | undefined {
  if (typeof first !== 'string') return 0;
  const spaces = /^[ \t]*/.exec(first)?.[0].length as number;
  const next = first.charCodeAt(spaces);
  if (next > 127) leaveSubset();
  return next === 10 ? undefined : spaces;
}

/** Reads a label of a block in quotes; the cursor is after its first quote. */
export function readLabel(cursor: Cursor): string {
  const [label, ...more] = readQuoted(cursor, leaveSubset);
  if (typeof label !== 'string' || more.length > 0 || /[$%]/.test(label)) leaveSubset();
  return label;
}
