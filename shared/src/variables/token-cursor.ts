import { type Token, type TokenKind, tokenize } from './tokens.ts';

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Walks the pieces of an expression that mean something: blanks and comments are passed over. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(text: string) {
    this.#tokens = [...tokenize(text)].filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  }

  atEnd(): boolean {
    return this.#index >= this.#tokens.length;
  }

  /** Whether the next piece is this name or mark. */
  at(text: string): boolean {
    return this.#tokens[this.#index]?.text === text;
  }

  /** Passes the next piece when it is this name or mark. */
  skip(text: string): boolean {
    if (!this.at(text)) return false;
    this.#index += 1;
    return true;
  }

  /** The next piece when it is of this kind. */
  take(kind: TokenKind): string | undefined {
    const token = this.#tokens[this.#index];
    if (token?.kind !== kind) return undefined;
    this.#index += 1;
    return token.text;
  }

  /** The key of an object: a name or a quoted text without interpolation. */
  takeKey(): string | undefined {
    return this.take('name') ?? unquote(this.take('quoted'));
  }

  /** The source of one expression: everything up to the comma or bracket that ends it. */
  takeExpression(): string {
    const parts: string[] = [];
    const open: string[] = [];
    for (let token = this.#tokens[this.#index]; token; token = this.#tokens[this.#index]) {
      if (open.length === 0 && [',', ')', ']', '}'].includes(token.text)) break;
      if (token.text === open.at(-1)) open.pop();
      else if (closing[token.text]) open.push(closing[token.text] as string);
      parts.push(token.text);
      this.#index += 1;
    }
    return parts.join(' ');
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/** The text of a quoted literal, or undefined when it is none: an interpolation, or an escape that does not exist. */
export function unquote(quoted: string | undefined): string | undefined {
  if (quoted === undefined || !/^"(?:[^"\\]|\\.)*"$/s.test(quoted)) return undefined;
  let known = true;
  const text = quoted.slice(1, -1).replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/gs, (_, code: string) => {
    const point = code.length > 1 ? Number.parseInt(code.slice(1), 16) : undefined;
    if (point === undefined ? escapes[code] === undefined : point > 0x10ffff) known = false;
    return point === undefined || point > 0x10ffff ? (escapes[code] ?? '') : String.fromCodePoint(point);
  });
  return known ? unescapeTemplate(text) : undefined;
}

/** The text a template stands for when it interpolates nothing: `$${` is `${`. Undefined when it does interpolate. */
export function unescapeTemplate(template: string): string | undefined {
  // Three signs before a brace are read differently by different readers, so such a text is not called a literal.
  if (/\$\$\$\{|%%%\{/.test(template)) return undefined;
  if (/(?<!\$)\$\{|(?<!%)%\{/.test(template)) return undefined;
  return template.replaceAll('$${', '${').replaceAll('%%{', '%{');
}
