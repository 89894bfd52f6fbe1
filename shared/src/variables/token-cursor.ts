import { type Token, type TokenKind, tokenize } from './tokens.ts';

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Iterates over the significant tokens of an expression; blanks and comments are skipped. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(text: string) {
    this.#tokens = [...tokenize(text)].filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  }

  atEnd(): boolean {
    return this.#index >= this.#tokens.length;
  }

  /** Reports whether the next token is this name or mark. */
  at(text: string): boolean {
    return this.#tokens[this.#index]?.text === text;
  }

  /** Skips the next token when it is this name or mark. */
  skip(text: string): boolean {
    if (!this.at(text)) return false;
    this.#index += 1;
    return true;
  }

  /** Returns the next token when it is of this kind. */
  take(kind: TokenKind): string | undefined {
    const token = this.#tokens[this.#index];
    if (token?.kind !== kind) return undefined;
    this.#index += 1;
    return token.text;
  }

  /** Reads the key of an object: a name or a quoted text without interpolation. */
  takeKey(): string | undefined {
    return this.take('name') ?? unquote(this.take('quoted'));
  }

  /** Returns the source of one expression: everything up to the comma or bracket that ends it. */
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

/** Returns the text of a quoted literal, or undefined for an interpolation or an unknown escape. */
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

/** Returns the text of a template without interpolation: `$${` is `${`. Undefined when it interpolates. */
export function unescapeTemplate(template: string): string | undefined {
  // Parsers read three signs before a brace differently, so such a text is not called a literal.
  if (/\$\$\$\{|%%%\{/.test(template)) return undefined;
  if (/(?<!\$)\$\{|(?<!%)%\{/.test(template)) return undefined;
  return template.replaceAll('$${', '${').replaceAll('%%{', '%{');
}
