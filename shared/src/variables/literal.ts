import { ExactNumber } from '../kernel/exact-number.ts';
import type { Json } from '../kernel/json.ts';
import { Cursor, unquote } from './token-cursor.ts';

const maxDepth = 32;
const constants: Readonly<Record<string, Json>> = { true: true, false: false, null: null };

/** Returns the value of an expression that is a literal JSON can represent, or undefined for any other expression. */
export function parseLiteral(text: string): Json | undefined {
  const cursor = new Cursor(text);
  const value = readValue(cursor, 0);
  return cursor.atEnd() ? value : undefined;
}

function readValue(cursor: Cursor, depth: number): Json | undefined {
  if (depth > maxDepth) return undefined;
  if (cursor.skip('[')) return readList(cursor, depth);
  if (cursor.skip('{')) return readObject(cursor, depth);
  const keyword = cursor.take('name');
  if (keyword !== undefined) return Object.hasOwn(constants, keyword) ? constants[keyword] : undefined;
  const quoted = cursor.take('quoted');
  if (quoted !== undefined) return unquote(quoted);
  return readNumber(cursor.skip('-') ? '-' : '', cursor.take('number'));
}

function readNumber(sign: string, digits: string | undefined): Json | undefined {
  return digits === undefined ? undefined : ExactNumber.read(`${sign}${digits}`);
}

function readList(cursor: Cursor, depth: number): Json | undefined {
  const items: Json[] = [];
  while (!cursor.skip(']')) {
    const item = readValue(cursor, depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
    if (!cursor.skip(',') && !cursor.at(']')) return undefined;
  }
  return items;
}

function readObject(cursor: Cursor, depth: number): Json | undefined {
  const members = new Map<string, Json>();
  while (!cursor.skip('}')) {
    const key = cursor.takeKey();
    if (key === undefined || !(cursor.skip('=') || cursor.skip(':'))) return undefined;
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    members.set(key, value);
    cursor.skip(',');
  }
  return Object.fromEntries(members);
}
