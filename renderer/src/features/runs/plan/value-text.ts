import type { Json, JsonObject } from '#shared/kernel/json';
import { sensitiveMark } from '#shared/vendor';

const [markKey, markValue] = Object.entries(sensitiveMark)[0] as [string, string];

export const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Whether a value is what stands in place of a sensitive one. */
export const isMark = (value: Json | undefined): value is JsonObject => isObject(value) && value[markKey] === markValue;

/** Words for what has no text of its own. */
export type ValueWords = { sensitive: string; unknown: string };

/** A value on one line, or with `indent` on several, as JSON that says where something sensitive is hidden. */
export function valueText(value: Json, words: Pick<ValueWords, 'sensitive'>, indent = ''): string {
  if (isMark(value)) return words.sensitive;
  if (Array.isArray(value))
    return bracket(
      '[',
      value.map((item: Json) => valueText(item, words, indent && `${indent}  `)),
      ']',
      indent,
    );
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${valueText(item, words, indent && `${indent}  `)}`,
  );
  return bracket('{', members, '}', indent);
}

function bracket(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return open + close;
  if (indent === '') return open === '{' ? `{ ${items.join(', ')} }` : `[${items.join(', ')}]`;
  return `${open}${indent}${items.join(`,${indent}`)}${indent.slice(0, -2)}${close}`;
}

/** On several lines, two spaces per level. */
export const blockText = (value: Json, words: Pick<ValueWords, 'sensitive'>): string => valueText(value, words, '\n  ');

/** Digits beyond what a double holds are kept, so the text is laid out anew token by token and never through its values. */
const token = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** A JSON text with an object or array in it, laid out on lines; undefined for any other text. */
export function layOutJson(text: string): string | undefined {
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
/** Every member and every closing bracket has its line; an empty pair stays together. */
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
