import { createHash } from 'node:crypto';
import { TofuError } from './error.ts';

export type LockEntry = {
  /** `host/namespace/type`. */
  address: string;
  version: string;
  constraints?: string;
  /** `h1:` (of the unpacked files) and `zh:` (of an archive, which proves nothing for unpacked files). */
  hashes: readonly string[];
};

type Token = { kind: 'word' | 'string' | 'mark'; text: string };

/** One token; whitespace and comments are skipped by code, because a pattern for them backtracks without limit. */
const tokenPattern = /([A-Za-z_][\w-]*)|"((?:[^"\\\n]|\\["\\])*)"|([{}[\],=])/y;
const addressPattern = /^[^/\s]+\/[^/\s]+\/[^/\s]+$/;

/** Reads a `.terraform.lock.hcl`, in the small part of HCL the tools write. Anything else throws `lock_unreadable`. */
export function parseLock(text: string): LockEntry[] {
  const tokens = tokenize(text);
  const entries: LockEntry[] = [];
  let at = 0;
  while (at < tokens.length) {
    const read = readProvider(tokens, at);
    if (entries.some((entry) => entry.address === read.entry.address)) throw unreadable('names a provider twice');
    entries.push(read.entry);
    at = read.next;
  }
  return entries;
}

/** Returns the digest of a lock file's bytes: `sha256:` and hex. */
export const lockDigest = (text: string): string => `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;

function readProvider(tokens: readonly Token[], start: number): { entry: LockEntry; next: number } {
  expect(tokens[start], 'word', 'provider');
  const address = expect(tokens[start + 1], 'string');
  if (!addressPattern.test(address)) throw unreadable('names a provider without its host, namespace and type');
  expect(tokens[start + 2], 'mark', '{');
  const values = new Map<string, string | readonly string[]>();
  let at = start + 3;
  while (tokens[at]?.text !== '}' || tokens[at]?.kind !== 'mark') {
    const name = expect(tokens[at], 'word');
    expect(tokens[at + 1], 'mark', '=');
    if (values.has(name)) throw unreadable(`sets ${name} twice`);
    const read = readValue(tokens, at + 2);
    values.set(name, read.value);
    at = read.next;
  }
  return { entry: entryOf(address, values), next: at + 1 };
}

function entryOf(address: string, values: ReadonlyMap<string, string | readonly string[]>): LockEntry {
  const version = values.get('version');
  const constraints = values.get('constraints');
  const hashes = values.get('hashes') ?? [];
  if (typeof version !== 'string' || version === '') throw unreadable('has a provider without a version');
  if (typeof hashes === 'string') throw unreadable('has hashes that are not a list');
  return { address, version, hashes, ...(typeof constraints === 'string' ? { constraints } : {}) };
}

function readValue(tokens: readonly Token[], start: number): { value: string | readonly string[]; next: number } {
  const first = tokens[start];
  if (first?.kind === 'string') return { value: first.text, next: start + 1 };
  expect(first, 'mark', '[');
  const items: string[] = [];
  let at = start + 1;
  while (tokens[at]?.kind === 'string') {
    items.push(expect(tokens[at], 'string'));
    at += 1;
    if (tokens[at]?.text !== ',' || tokens[at]?.kind !== 'mark') break;
    at += 1;
  }
  expect(tokens[at], 'mark', ']');
  return { value: items, next: at + 1 };
}

function expect(token: Token | undefined, kind: Token['kind'], text?: string): string {
  if (token?.kind !== kind || (text !== undefined && token.text !== text))
    throw unreadable('is not in the form the tool writes');
  return token.text;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, tokenPattern.lastIndex)) {
    tokenPattern.lastIndex = at;
    const match = tokenPattern.exec(text);
    if (match === null) throw unreadable('is not in the form the tool writes');
    const [, identifier, quoted, mark] = match;
    if (identifier !== undefined) tokens.push({ kind: 'word', text: identifier });
    else if (quoted !== undefined) tokens.push({ kind: 'string', text: quoted.replace(/\\(.)/g, '$1') });
    else tokens.push({ kind: 'mark', text: mark as string });
  }
  return tokens;
}

/** Returns the index of the next character that is neither white space nor part of a comment. */
function skipBlank(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at += 1;
    const end = endOfComment(text, at);
    if (end === at) return at;
    at = end;
  }
}

function endOfComment(text: string, at: number): number {
  if (text.startsWith('/*', at)) {
    const close = text.indexOf('*/', at + 2);
    return close < 0 ? text.length : close + 2;
  }
  if (text[at] !== '#' && !text.startsWith('//', at)) return at;
  const newline = text.indexOf('\n', at);
  return newline < 0 ? text.length : newline + 1;
}

const unreadable = (what: string): TofuError =>
  new TofuError(
    'lock_unreadable',
    `The file .terraform.lock.hcl ${what}; run init in the module again and commit the result.`,
  );
