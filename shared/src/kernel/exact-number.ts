/**
 * Numbers that JavaScript would change. The tool computes with 512 bits
 * (https://opentofu.org/docs/language/expressions/types/), a JavaScript number has 53 bits: read as one,
 * 9007199254740993 becomes 9007199254740992 and 1e400 becomes infinite.
 */
const token = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Longest exponent in characters; no computable number has a longer one. */
const mostExponentLength = 10;

type Decimal = { sign: string; digits: string; exponent: number };

/**
 * Returns the significant digits without zeros around them, and the power of ten of the last digit; undefined when the
 * text is not a number.
 */
function decimalOf(text: string): Decimal | undefined {
  const [match, sign = '', whole = '', fraction = '', power = '0'] = token.exec(text) ?? [];
  if (match === undefined || power.length > mostExponentLength) return undefined;
  const all = `${whole}${fraction}`;
  let start = 0;
  let end = all.length;
  while (all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  const digits = all.slice(start, end);
  if (digits === '') return { sign: '', digits: '0', exponent: 0 };
  return { sign, digits, exponent: Number(power) - fraction.length + all.length - end };
}

const isSame = (one: Decimal, other: Decimal): boolean =>
  one.sign === other.sign && one.digits === other.digits && one.exponent === other.exponent;

/**
 * Reports whether a number keeps its value when JavaScript reads and writes it: `1.50e1` does, as 15. False for text
 * that is not a number.
 */
export function survivesJavaScript(text: string): boolean {
  const value = Number(text);
  const decimal = Number.isFinite(value) ? decimalOf(text) : undefined;
  const written = decimal && decimalOf(String(value));
  return decimal !== undefined && written !== undefined && isSame(decimal, written);
}

/** More zeros at the end or after the point are written as an exponent, as JavaScript does. */
const mostZeros = 20;

/** Returns one text for equal numbers. */
function write({ sign, digits, exponent }: Decimal): string {
  const point = digits.length + exponent;
  if (exponent >= 0 && exponent <= mostZeros) return `${sign}${digits}${'0'.repeat(exponent)}`;
  if (point > 0 && exponent < 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  if (point <= 0 && -point <= mostZeros) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${sign}${digits.slice(0, 1)}${rest}e${point > 0 ? '+' : ''}${point - 1}`;
}

type RawJson = { rawJSON?: (text: string) => object };
/** `JSON.rawJSON` (ECMAScript 2026), which browsers of 2024 do not have yet. */
const { rawJSON } = JSON as RawJson;
/** Prefix of the text that replaces a number where it cannot be written raw; no document contains it by chance. */
const marker = `exact-number:${globalThis.crypto.getRandomValues(new Uint32Array(4)).join('-')}:`;
const marked = new RegExp(`"${marker}([-+.\\de]+)"`, 'g');

/** A number that JavaScript would change. `text` is a JSON number; equal numbers have equal text. */
export class ExactNumber {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /**
   * Returns the number of a JSON token or literal: an ordinary number where that is exact. Undefined when the text is
   * not a number.
   */
  static read(text: string): number | ExactNumber | undefined {
    if (survivesJavaScript(text)) return Number(text);
    const decimal = decimalOf(text);
    return decimal && new ExactNumber(write(decimal));
  }

  toJSON(): unknown {
    return rawJSON ? rawJSON(this.text) : `${marker}${this.text}`;
  }

  toString(): string {
    return this.text;
  }
}

/** Matches strings to skip, and numbers of sixteen digits or with an exponent: fifteen digits are always exact. */
const suspects = (): RegExp => /"|-?\d(?:[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]*[eE][+-]?\d+)/g;
/**
 * The same without skipping strings: faster, and most documents contain none. A colon counts only after a quote, so that
 * digests such as `sha256:9e…` do not match.
 */
const maybeSuspect = /(?:^|"\s*:|[[,])\s*-?\d(?:[\d.]{15}|[\d.]{0,14}[eE])/;

/** Returns the index after a string of a JSON text; `start` is its first quote. */
export function endOfString(text: string, start: number): number {
  let index = text.indexOf('"', start + 1);
  while (index >= 0 && isEscaped(text, index)) index = text.indexOf('"', index + 1);
  return index < 0 ? text.length : index + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text[quote - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** Returns the text with a marked string for each number that would change, or undefined when there is none. */
function markNumbers(text: string): string | undefined {
  const pattern = suspects();
  const parts: string[] = [];
  let from = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [piece] = match;
    if (piece === '"') {
      pattern.lastIndex = endOfString(text, match.index);
      continue;
    }
    if (survivesJavaScript(piece)) continue;
    parts.push(text.slice(from, match.index), `"${marker}${piece}"`);
    from = pattern.lastIndex;
  }
  return parts.length === 0 ? undefined : `${parts.join('')}${text.slice(from)}`;
}

/** `JSON.parse`, with an `ExactNumber` for each number that it would change. Throws `SyntaxError`. */
export function parseExactly(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  const withMarks = maybeSuspect.test(text) ? markNumbers(text) : undefined;
  if (withMarks === undefined) return plain;
  return JSON.parse(withMarks, (_, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(marker)) return value;
    const number = ExactNumber.read(value.slice(marker.length));
    if (number === undefined) throw new SyntaxError('A number has an exponent that nothing computes with.');
    return number;
  });
}

function holdsExact(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  return value !== null && typeof value === 'object' && Object.values(value).some(holdsExact);
}

/** Returns a copy of a JSON value in which each exact number is replaced. */
function replaceExact(value: unknown, replace: (number: ExactNumber) => unknown): unknown {
  if (value instanceof ExactNumber) return replace(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => replaceExact(item, replace));
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, replaceExact(child, replace)]));
}

/** Writes a JSON value with a serializer that does not support exact numbers. */
export function writeExactly(value: unknown, serialize: (value: unknown) => string): string {
  if (!holdsExact(value)) return serialize(value);
  return serialize(replaceExact(value, ({ text }) => `${marker}${text}`)).replace(marked, '$1');
}

/** `JSON.stringify` that also writes exact numbers where the browser has no `JSON.rawJSON`. */
export function writeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return rawJSON ? text : text.replace(marked, '$1');
}
