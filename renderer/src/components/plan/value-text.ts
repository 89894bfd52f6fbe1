import { writeJson } from '#shared/kernel/exact-number';
import { isContainer, isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { isSensitiveMark, isUnknownMark } from '#shared/plans/marks';

/** Words for values without a text of their own. */
export type ValueTexts = { sensitive: string; unknown: string; unknownSensitive: string };

/** Masks of a value: `true` when it is unknown or sensitive as a whole, else members by name or index. */
export type Masks = { unknown?: Json | undefined; sensitive?: Json | undefined };

/**
 * Returns a value on one line, or with `indent` on several, as JSON in which `words` stand for sensitive and unknown members.
 * The tool leaves unknown members out of objects and writes null for them in lists; the mask has both.
 */
export function valueText(value: Json, texts: ValueTexts, masks: Masks = {}, indent = ''): string {
  const { unknown, sensitive } = masks;
  if (unknown === true) return sensitive === true ? texts.unknownSensitive : texts.unknown;
  if (isSensitiveMark(value)) return texts.sensitive;
  if (isUnknownMark(value)) return texts.unknown;
  const inside = indent && `${indent}  `;
  const textOf = (member: Json, key: string | number) =>
    valueText(member, texts, { unknown: childOf(unknown, key), sensitive: childOf(sensitive, key) }, inside);
  if (Array.isArray(value)) {
    const length = Math.max(value.length, Array.isArray(unknown) ? unknown.length : 0);
    const items = Array.from({ length }, (_, index) => textOf(value[index] ?? emptyOf(childOf(unknown, index)), index));
    return bracket('[', items, ']', indent);
  }
  if (!isJsonObject(value)) return writeJson(value);
  const members = memberKeys(value, unknown).map(
    (key) => `${JSON.stringify(key)}: ${textOf(value[key] ?? emptyOf(childOf(unknown, key)), key)}`,
  );
  return bracket('{', members, '}', indent);
}

/** Returns the member of a value or mask; a mask that is one boolean holds for each member. */
export const childOf = (value: Json | undefined, key: string | number): Json | undefined => {
  if (value === true || value === false) return value;
  if (!isContainer(value) || !Object.hasOwn(value, key)) return undefined;
  return (value as { readonly [key: string | number]: Json })[key];
};

export const hasTrue = (mask: Json | undefined): boolean =>
  mask === true || (isContainer(mask) && Object.values(mask).some((child) => hasTrue(child)));

/** Returns the empty structure that the tool leaves out because each of its members is unknown, else null. */
export function emptyOf(unknown: Json | undefined): Json {
  if (!hasTrue(unknown) || unknown === true) return null;
  return Array.isArray(unknown) ? [] : {};
}

/** Returns the keys of an object, then those that only the mask of unknown members has. */
export const memberKeys = (value: JsonObject, unknown: Json | undefined): string[] => {
  const masked = isJsonObject(unknown) ? Object.keys(unknown).filter((key) => hasTrue(unknown[key])) : [];
  return [...new Set([...Object.keys(value), ...masked])];
};

function bracket(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return open + close;
  if (indent === '') return open === '{' ? `{ ${items.join(', ')} }` : `[${items.join(', ')}]`;
  return `${open}${indent}${items.join(`,${indent}`)}${indent.slice(0, -2)}${close}`;
}

/** On several lines, two spaces per level. */
export const blockText = (value: Json, texts: ValueTexts, masks?: Masks): string =>
  valueText(value, texts, masks, '\n  ');

/** The text is formatted token by token and never parsed, so that digits beyond the precision of a double are kept. */
const token = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Formats a JSON text that contains an object or array on several lines; undefined for any other text. */
export function formatJson(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed) || !isJson(trimmed)) return undefined;
  let depth = 0;
  let out = '';
  let last = '';
  for (const [part] of trimmed.matchAll(token)) {
    if (isClose(part)) depth -= 1;
    if (startsLine(part, last)) out += `\n${'  '.repeat(depth)}`;
    out += part === ':' ? ': ' : part;
    if (isOpen(part)) depth += 1;
    last = part;
  }
  return out;
}

const isOpen = (part: string): boolean => part === '{' || part === '[';
const isClose = (part: string): boolean => part === '}' || part === ']';
/** Every member and every closing bracket gets a line; an empty pair stays together. */
const startsLine = (part: string, last: string): boolean =>
  isClose(part) ? !isOpen(last) : isOpen(last) || last === ',';

function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && Object.keys(value).length > 0;
  } catch {
    return false;
  }
}
