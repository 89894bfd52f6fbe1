import { ExactNumber, parseExactly } from '#shared/kernel/exact-number';
import { markupForms } from './markup.ts';
import { isPublicConstant } from './public-constants.ts';
import { shellForms, yamlForms } from './quoting.ts';
import { base32Forms, base64Forms, utf16Forms } from './unaligned.ts';

/** Values shorter than this are replaced only as whole tokens; otherwise parts of ordinary words would be replaced. */
export const wholeTokenBelowBytes = 8;
/** Shorter values are searched as they are, because their encoded forms are as short as ordinary numbers. */
const encodedFromBytes = 4;

/** Minimum length of the last line of wrapped base64; a shorter one occurs by chance. */
const wrappedFromChars = 12;

export type Pattern = { readonly bytes: Buffer; readonly wholeToken: boolean };

/** Returns every byte pattern under which one of the secrets can appear in a stream, without duplicates. */
export function patternsOf(secrets: readonly string[]): Pattern[] {
  const patterns = new Map<string, Pattern>();
  const add = (form: string | Buffer, wholeToken: boolean): void => {
    const bytes = typeof form === 'string' ? Buffer.from(form, 'utf8') : form;
    const key = bytes.toString('latin1');
    // The same bytes can be a short value and an encoding of a long one; then they are replaced everywhere.
    if (patterns.get(key)?.wholeToken !== false) patterns.set(key, { bytes, wholeToken });
  };
  for (const part of new Set(secrets.flatMap(partsOf))) {
    const wholeToken = Buffer.byteLength(part) < wholeTokenBelowBytes;
    for (const form of wholeToken ? shortFormsOf(part) : formsOf(part)) add(form, wholeToken);
    if (!wholeToken) for (const form of utf16Forms(part)) add(form, false);
  }
  for (const line of new Set(secrets.flatMap(wrappedLines))) add(line, false);
  return [...patterns.values()];
}

/** Columns at which base64 is wrapped: by PEM (RFC 7468) and by MIME (RFC 2045), as `openssl` and `base64` do. */
const wrapColumns = [64, 76];

/** Returns the lines of a whole secret in wrapped base64, because a single line discloses its part of the secret. */
function wrappedLines(secret: string): string[] {
  const encoded = Buffer.from(secret, 'utf8').toString('base64');
  return wrapColumns.flatMap((columns) => {
    if (encoded.length <= columns) return [];
    const lines = encoded.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
    return lines.filter((line) => line.length >= wrappedFromChars);
  });
}

/** Returns a secret itself, its lines, the values of `key: value` lines, and the leaves of a JSON document. */
function partsOf(secret: string): string[] {
  const parts = new Set<string>();
  const add = (text: string): void => {
    if (!isPublicConstant(text)) parts.add(text);
  };
  const addLines = (text: string): void => {
    add(text);
    const trimmed = text.trim();
    if (trimmed !== text) add(trimmed);
    if (!text.includes('\n')) return;
    for (const line of text.split(/\r?\n/)) {
      add(line.trim());
      const value = /^\s*(?:- )?[\w."'-]+\s*[:=]\s+?["']?(.+?)["']?,?\s*$/.exec(line)?.[1];
      if (value !== undefined) add(value);
    }
  };
  addLines(secret);
  for (const leaf of leavesOf(secret)) addLines(leaf);
  return [...parts];
}

function leavesOf(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  let document: unknown;
  try {
    document = parseExactly(text);
  } catch {
    return [];
  }
  const leaves: string[] = [];
  const waiting: unknown[] = [document];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') leaves.push(value);
    else if (value instanceof ExactNumber) leaves.push(value.text);
    // A number or a boolean of a document is secret only when it is long enough to be an identifier.
    else if (typeof value === 'number' && String(value).length >= wholeTokenBelowBytes) leaves.push(String(value));
    else if (value !== null && typeof value === 'object') waiting.push(...Object.values(value));
  }
  return leaves;
}

function shortFormsOf(text: string): Set<string> {
  const forms = new Set([text, ...escapedForms(text), ...urlForms(text)]);
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length < encodedFromBytes) return forms;
  forms.add(bytes.toString('hex')).add(bytes.toString('hex').toUpperCase());
  forms.add(bytes.toString('base64')).add(bytes.toString('base64url'));
  return forms;
}

function formsOf(text: string): Set<string> {
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  return new Set([
    text,
    ...escapedForms(text),
    ...urlForms(text),
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
    ...base32Forms(bytes),
  ]);
}

const inside = (literal: string): string => literal.slice(1, -1);
const escapeJson = (text: string): string => inside(JSON.stringify(text));
const unicode = (char: string): string =>
  [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
/** Escapes as Go's encoder does (`\u003c` and so on), so that a document can be embedded in HTML. */
const escapeHtml = (text: string): string => text.replaceAll(/[<>&\u2028\u2029]/g, unicode);
/** Escapes as ASCII-only encoders do, with `\uXXXX` for all other characters. */
const escapeNonAscii = (text: string): string => text.replaceAll(/[^\0-\x7f]+/g, unicode);

/**
 * Escapes as HCL does, which is how a key appears in a resource address: templates are doubled, and unprintable
 * characters become `\u` or `\U` (HCL native syntax, quoted template expressions).
 */
const escapeHcl = (text: string): string => escapeControl(text, escapeWide).replaceAll(/[$%](?=\{)/g, '$&$&');
/** Escapes as Go's `%q`, which many providers use in messages. */
const escapeGo = (text: string): string => escapeControl(text, (char) => goEscapes[char] ?? escapeNarrow(char));
const escapeNarrow = (char: string): string =>
  char.charCodeAt(0) < 0x80 ? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}` : escapeWide(char);
/** Escapes of Go that HCL does not have. */
const goEscapes: { readonly [char: string]: string } = { '\x07': '\\a', '\b': '\\b', '\f': '\\f', '\v': '\\v' };

const shortEscapes: { readonly [char: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
const escapeControl = (text: string, escapeOther: (char: string) => string): string =>
  text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (char) => shortEscapes[char] ?? escapeOther(char));
const escapeWide = (char: string): string =>
  char.length === 1 ? unicode(char) : `\\U${char.codePointAt(0)?.toString(16).padStart(8, '0')}`;

/** Returns the text escaped once and twice in the common dialects, and written entirely as `\uXXXX`. */
function escapedForms(text: string): string[] {
  const once = [escapeJson(text), escapeHtml(escapeJson(text)), escapeNonAscii(escapeHtml(escapeJson(text)))];
  once.push(escapeNonAscii(escapeJson(text)), escapeJson(text).replaceAll('/', '\\/'));
  once.push(escapeHcl(text), escapeGo(text), ...shellForms(text), ...yamlForms(text), ...markupForms(text));
  const twice = once.flatMap((form) => [escapeJson(form), escapeHtml(escapeJson(form))]);
  const everyChar = unicode(text);
  return [
    ...once,
    ...twice,
    everyChar,
    everyChar.replaceAll(/\\u(....)/g, (_, hex) => `\\u${hex.toUpperCase()}`),
    escapeJson(everyChar),
  ];
}

/** Returns RFC 3986 percent-encoding, its lower-case spelling, and the forms of `application/x-www-form-urlencoded`. */
function urlForms(text: string): string[] {
  const component = encodeWellFormed(text);
  const strict = component.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = strict.replaceAll('%20', '+');
  // As browsers write it (URL Standard, 5.2): they keep `*` and encode `~`.
  const ofBrowsers = form.replaceAll('~', '%7E').replaceAll('%2A', '*');
  const path = strict.replaceAll(/%(3A|40|26|3D|2B|24)/g, (code) => decodeURIComponent(code));
  return [component, strict, form, ofBrowsers, path].flatMap((encoded) => [
    encoded,
    encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

/** Encodes a text. A lone surrogate has no UTF-8 form; encoders replace it, and so does the search. */
const encodeWellFormed = (text: string): string => encodeURIComponent(text.toWellFormed());
