import { ExactNumber, endOfString, parseExactly } from './exact-number.ts';

/** Any JSON value; a number that JavaScript would change is an `ExactNumber`. */
export type Json = null | boolean | number | ExactNumber | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** True for a value with named members; an exact number has none. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  isContainer(value) && !Array.isArray(value);

/** True for a list or an object. */
export const isContainer = (value: Json | undefined): value is readonly Json[] | JsonObject =>
  value !== null && typeof value === 'object' && !(value instanceof ExactNumber);

type JsonBounds = { depth: number; nodes: number; keyBytes: number; stringBytes: number };

/** Limits of a JSON value that a person submits as a variable. */
export const boundedJson: JsonBounds = { depth: 32, nodes: 4_096, keyBytes: 256, stringBytes: 32_768 };

const utf8 = new TextEncoder();
const byteLength = (text: string): number => utf8.encode(text).length;

/** Returns the JSON Pointer of the first location where a value exceeds the limits, or undefined. */
export function findOutOfBounds(value: Json, bounds: JsonBounds): string | undefined {
  let nodes = 0;
  const isOversized = (item: Json, depth: number): boolean =>
    nodes > bounds.nodes ||
    depth > bounds.depth ||
    (typeof item === 'string' && byteLength(item) > bounds.stringBytes) ||
    (item instanceof ExactNumber && item.text.length > bounds.stringBytes) ||
    (isContainer(item) && Object.keys(item).some((key) => byteLength(key) > bounds.keyBytes));
  const visit = (item: Json, parentDepth: number, pointer: string): string | undefined => {
    nodes += 1;
    const depth = parentDepth + (isContainer(item) ? 1 : 0);
    if (isOversized(item, depth)) return pointer;
    if (!isContainer(item)) return undefined;
    for (const [key, child] of Object.entries(item)) {
      const match = visit(child as Json, depth, `${pointer}/${escapePointer(key)}`);
      if (match !== undefined) return match;
    }
    return undefined;
  };
  return visit(value, 0, '');
}

/** One reference token of a JSON Pointer (RFC 6901). */
export const escapePointer = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

/** Reason why a JSON text was refused: a sentence for a person, never a value of the text. */
export class JsonError extends Error {}

type StrictJsonOptions = {
  maxDepth?: number;
  /** `kept` for documents whose keys are user data; then no code may copy members by assignment. Default `refused`. */
  protoKey?: 'refused' | 'kept';
  /** `kept` for documents of the tool, which may hold any number. Default `refused`. */
  longNumbers?: 'refused' | 'kept';
};

/**
 * Escape of an unpaired surrogate. RFC 8785, 3.2.2.2 has no form for it, so it can be neither digested nor stored in a
 * file.
 */
const isWhole = (value: Json): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (!isContainer(value)) return true;
  return Object.entries(value).every(([key, child]) => key.isWellFormed() && isWhole(child as Json));
};

/** Far above the precision of the tool (512 bits), far below the size that is slow to write as digits. */
const longestNumber = { characters: 1_024, exponent: 9_999 };

/** Matches digits or an exponent that may be too long. */
const maybeLong = /\d{512}|[eE][+-]?\d{4}/;

const hasLongNumber = (value: Json): boolean => {
  if (value instanceof ExactNumber) {
    const exponent = Math.abs(Number(value.text.split('e')[1] ?? 0));
    return value.text.length > longestNumber.characters || exponent > longestNumber.exponent;
  }
  return isContainer(value) && Object.values(value).some((child) => hasLongNumber(child as Json));
};

/**
 * Parses a JSON text and refuses some texts that `JSON.parse` accepts: duplicate keys, the key `__proto__`, nesting
 * deeper than `maxDepth` containers (64), unpaired surrogates, and numbers of more than 1,024 digits or with an
 * exponent above 9,999. Throws `JsonError`.
 */
export function parseStrictJson(
  text: string,
  { maxDepth = 64, protoKey = 'refused', longNumbers = 'refused' }: StrictJsonOptions = {},
): Json {
  let parsed: Json;
  try {
    parsed = parseExactly(text) as Json;
  } catch {
    throw new JsonError('The text is not valid JSON.');
  }
  checkKeys(text, maxDepth, protoKey);
  if (/\\u[dD][89a-fA-F]/.test(text) && !isWhole(parsed))
    throw new JsonError('A text holds half a character: a surrogate without its other half.');
  if (longNumbers === 'refused' && maybeLong.test(text) && hasLongNumber(parsed))
    throw new JsonError('A number is too long. Use at most 1,024 digits and an exponent of at most 9,999.');
  return parsed;
}

/** Scans a text already known to be valid JSON, so that only strings and brackets matter. */
function checkKeys(text: string, maxDepth: number, protoKey: 'refused' | 'kept'): void {
  const open: (Set<string> | null)[] = [];
  let index = 0;
  while (index < text.length) {
    const char = text[index];
    if (char === '"') {
      const end = endOfString(text, index);
      if (nextMark(text, end) === ':') addKey(open.at(-1), text.slice(index, end), protoKey);
      index = end;
    } else {
      if (char !== undefined) trackNesting(open, char, maxDepth);
      index += 1;
    }
  }
}

function trackNesting(open: (Set<string> | null)[], char: string, maxDepth: number): void {
  if (char === '}' || char === ']') open.pop();
  if (char !== '{' && char !== '[') return;
  open.push(char === '{' ? new Set() : null);
  if (open.length > maxDepth) throw new JsonError(`The JSON is nested deeper than ${maxDepth} levels.`);
}

function addKey(keys: Set<string> | null | undefined, literal: string, protoKey: 'refused' | 'kept'): void {
  const key = JSON.parse(literal) as string;
  if (key === '__proto__' && protoKey === 'refused') throw new JsonError('The key __proto__ is not allowed.');
  if (keys?.has(key)) throw new JsonError('A key appears twice in one object.');
  keys?.add(key);
}

function nextMark(text: string, from: number): string | undefined {
  let index = from;
  while (index < text.length && ' \t\r\n'.includes(text[index] as string)) index += 1;
  return text[index];
}
