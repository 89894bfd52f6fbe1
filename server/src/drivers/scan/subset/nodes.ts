import type { Json } from '#shared/kernel/json';
import { leaveSubset } from './cursor.ts';

/**
 * An expression with the part of the text that it covers. `code` stands for everything that is passed on as text:
 * operators, calls, parentheses. A `name` is a reference, which an object key reads as a plain text, and `indexed` a
 * reference with an index.
 */
export type Node = { start: number; end: number } & (
  | { kind: 'code' | 'name' | 'indexed' }
  | { kind: 'literal'; value: number | boolean | null; negated?: boolean }
  | { kind: 'template'; parts: readonly (string | Node)[] }
  | { kind: 'tuple'; items: readonly Node[] }
  | { kind: 'object'; items: readonly (readonly [Node, Node])[] }
  | { kind: 'conditional'; condition: Node; yes: Node; no: Node }
);

/** Returns the JSON form of an expression. */
export function jsonOf(node: Node, text: string): Json {
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'template':
      return templateValue(node.parts, text);
    case 'tuple':
      return node.items.map((item) => jsonOf(item, text));
    case 'object':
      return sortedObject(new Map(node.items.map(([key, value]) => [keyOf(key, text), jsonOf(value, text)])));
    default:
      return codeOf(node, text);
  }
}

/** Returns an object with sorted members, as the other parser writes them. Names that JSON would treat apart leave the subset. */
export function sortedObject(members: ReadonlyMap<string, Json>): Json {
  const object: { [name: string]: Json } = {};
  for (const name of [...members.keys()].sort()) object[plainName(name)] = members.get(name) as Json;
  return object;
}

/** Beyond ASCII the order of bytes differs from that of JavaScript. */
const plainName = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII
  name === '__proto__' || /[^\x00-\x7f]/.test(name) ? leaveSubset() : name;

const codeOf = ({ start, end }: Node, text: string): string => `\${${text.slice(start, end)}}`;

/** A template of one expression is that expression. */
function templateValue(parts: readonly (string | Node)[], text: string): Json {
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') return jsonOf(only, text);
  return parts.map((part) => partOf(part, text)).join('');
}

/** Returns a part of a template as text. */
function partOf(part: string | Node, text: string): string {
  if (typeof part === 'string') return part;
  switch (part.kind) {
    case 'literal':
      return literalPart(part);
    case 'template':
      return part.parts.map((inner) => partOf(inner, text)).join('');
    case 'conditional':
      return conditionalPart(part, text);
    default:
      return codeOf(part, text);
  }
}

function literalPart(node: Extract<Node, { kind: 'literal' }>): string {
  if (node.value === null || node.negated) leaveSubset();
  return String(node.value);
}

/** Inside a template the other parser writes a conditional as directives. */
function conditionalPart({ condition, yes, no }: Extract<Node, { kind: 'conditional' }>, text: string): string {
  const otherwise = partOf(no, text);
  const tail = otherwise === '' ? '' : `%{else}${otherwise}`;
  return `%{if ${text.slice(condition.start, condition.end)}}${partOf(yes, text)}${tail}%{endif}`;
}

/** Returns the name of an object's member. Whether an indexed reference is one depends on the index. */
function keyOf(key: Node, text: string): string {
  if (key.kind === 'indexed') leaveSubset();
  return key.kind === 'name' ? text.slice(key.start, key.end) : partOf(key, text);
}
