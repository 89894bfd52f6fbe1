import type { Json } from '#shared/kernel/json';
import { accept, type Cursor, expect, isOutsideSubset, leaveSubset, nested, peek, readName } from './cursor.ts';
import { readExpression } from './expressions.ts';
import { jsonOf, sortedObject } from './nodes.ts';
import { readLabel } from './templates.ts';

/** Anything but tabs, line breaks and printable ASCII. */
const unusual = /[^\t\n\x20-\x7e]/;
const control = /\p{Cc}/u;

/**
 * Parses the subset of native syntax that nearly all files are written in, and returns the JSON form that the package
 * of the full parser returns for the same text. Returns undefined for every other text, valid or not: only the full
 * parser refuses a file.
 */
export function parseSubset(text: string): Json | undefined {
  if (unusual.test(text) && !isPlain(text)) return undefined;
  const cursor: Cursor = { text, at: 0, lineBreaks: true, depth: 0 };
  try {
    const body = readBody(cursor, true);
    return toObject(body);
  } catch (error) {
    if (isOutsideSubset(error)) return undefined;
    throw error;
  }
}

/**
 * Reports whether a text is in the normal form that the full parser gives to strings, without control characters. A
 * carriage return may only end a line.
 */
const isPlain = (text: string): boolean =>
  !control.test(text.replace(/[\t\n]|\r(?=\n)/g, '')) && text.normalize('NFC') === text;

/** Members by name: the bodies of blocks below their labels, or the value of an attribute. */
type Body = Map<string, Member>;
type Member = { attribute: Json } | { bodies: Body[] } | { labels: Body };

function readBody(cursor: Cursor, isFile: boolean): Body {
  const body: Body = new Map();
  for (;;) {
    const code = peek(cursor);
    if (code === 10) cursor.at += 1;
    else if (isFile && cursor.at >= cursor.text.length) return body;
    else if (!isFile && code === 125) return body;
    else {
      readItem(cursor, body);
      if (peek(cursor) !== 10 && cursor.at < cursor.text.length) leaveSubset();
    }
  }
}

function readItem(cursor: Cursor, body: Body): void {
  const name = readName(cursor) ?? leaveSubset();
  if (peek(cursor) === 61) readAttribute(cursor, body, name);
  else readBlock(cursor, body, name);
}

function readAttribute(cursor: Cursor, body: Body, name: string): void {
  cursor.at += 1;
  if (body.has(name)) leaveSubset();
  body.set(name, { attribute: jsonOf(readExpression(cursor), cursor.text) });
}

function readBlock(cursor: Cursor, body: Body, type: string): void {
  let at = body;
  let name = type;
  while (!accept(cursor, '{')) {
    const label = accept(cursor, '"') ? readLabel(cursor) : (readName(cursor) ?? leaveSubset());
    at = labelsOf(at, name);
    name = label;
  }
  const inner = nested(cursor, true, readBlockBody);
  const known = at.get(name);
  if (known === undefined) at.set(name, { bodies: [inner] });
  else if ('bodies' in known) known.bodies.push(inner);
  else leaveSubset();
}

/** Reads a body up to its brace. A body that starts on the line of the brace has one attribute and ends there. */
function readBlockBody(cursor: Cursor): Body {
  const code = peek(cursor);
  if (code === 10 || code === 125) {
    const body = readBody(cursor, false);
    expect(cursor, '}');
    return body;
  }
  const body: Body = new Map();
  const name = readName(cursor);
  if (name === undefined || peek(cursor) !== 61) leaveSubset();
  readAttribute(cursor, body, name);
  expect(cursor, '}');
  return body;
}

function labelsOf(body: Body, name: string): Body {
  const known = body.get(name);
  if (known === undefined) {
    const labels: Body = new Map();
    body.set(name, { labels });
    return labels;
  }
  return 'labels' in known ? known.labels : leaveSubset();
}

const toObject = (body: Body): Json =>
  sortedObject(new Map([...body].map(([name, member]) => [name, memberValue(member)])));

function memberValue(member: Member): Json {
  if ('attribute' in member) return member.attribute;
  return 'bodies' in member ? member.bodies.map(toObject) : toObject(member.labels);
}
