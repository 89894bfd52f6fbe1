import { parseExactly } from '#shared/kernel/exact-number';
import { isContainer, type Json, JsonError, parseStrictJson } from '#shared/kernel/json';
import { withVariableOrder } from './declaration-order.ts';
import { parseNativeText } from './native-parser.ts';
import { parseSubset } from './subset/parse-subset.ts';

/** `root` is a body, or in JSON syntax a list of bodies. `message` is a clause without a full stop. */
type ParsedFile = { ok: true; root: Json } | { ok: false; message: string };
export type Parser = (file: { bytes: Buffer; digest: string; json: boolean }) => Promise<ParsedFile>;

const cacheBytes = 32 << 20;
const cacheFiles = 20_000;

/**
 * Creates a parser for configuration files in both syntaxes. It returns the JSON form of the language, where an
 * expression is a text `${…}`. Results are cached by content; the least recently used is evicted first.
 */
export function createParser(): Parser {
  const cache = new Map<string, { parsed: ParsedFile; bytes: number }>();
  let held = 0;
  return async ({ bytes, digest, json }) => {
    const key = `${json ? 'json' : 'hcl'} ${digest}`;
    const known = cache.get(key);
    const parsed = known?.parsed ?? (await parseBytes(bytes, json));
    cache.delete(key);
    cache.set(key, { parsed, bytes: bytes.length });
    if (!known) held += bytes.length;
    for (const [oldest, entry] of cache) {
      if (held <= cacheBytes && cache.size <= cacheFiles) break;
      cache.delete(oldest);
      held -= entry.bytes;
    }
    return parsed;
  };
}

async function parseBytes(bytes: Buffer, json: boolean): Promise<ParsedFile> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, message: 'it is not UTF-8 text' };
  }
  return json ? parseJson(text) : parseNative(text);
}

function parseJson(text: string): ParsedFile {
  try {
    return { ok: true, root: parseStrictJson(text) };
  } catch (error) {
    if (error instanceof JsonError) return { ok: false, message: lowered(error.message) };
    return tooDeep;
  }
}

/** Maximum depth: far beyond hand-written files, far below the limit of a recursive traversal. */
const maxDepth = 200;
const tooDeep = { ok: false, message: 'it is nested too deeply' } as const;

function isDeeper(value: Json, levels: number): boolean {
  if (!isContainer(value)) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member as Json, levels - 1));
}

const lowered = (message: string): string => `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, '')}`;

/** Parses native syntax. The full parser takes 10 to 20 times as long, so it reads only what is outside the subset. */
async function parseNative(text: string): Promise<ParsedFile> {
  const root = parseSubset(text);
  return root === undefined ? parseFully(text) : toParsedFile(root, text);
}

async function parseFully(text: string): Promise<ParsedFile> {
  const answer = await parseNativeText(text);
  if ('broken' in answer) return tooDeep;
  if ('fault' in answer) return { ok: false, message: describeSyntax(answer.fault) };
  try {
    return toParsedFile(parseExactly(answer.json) as Json, text);
  } catch {
    return tooDeep;
  }
}

const toParsedFile = (root: Json, text: string): ParsedFile =>
  isDeeper(root, maxDepth) ? tooDeep : { ok: true, root: withVariableOrder(root, text) };

/**
 * Returns the line and the summary of the parser's first diagnostic; its details may quote the file and are left out.
 */
function describeSyntax(fault: string): string {
  const [, line, summary] = /file:(\d+),[^:]*: ([^;\]]{1,200})/.exec(fault) ?? [];
  return line ? `line ${line}: ${summary}` : 'its blocks contradict each other';
}
