/** A token of an expression of the configuration language. A quoted token keeps its quotes and escapes. */
export type Token = { readonly kind: TokenKind; readonly text: string };
export type TokenKind = 'space' | 'comment' | 'name' | 'number' | 'quoted' | 'mark';

const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['name', /[\p{ID_Start}_][\p{ID_Continue}-]*/uy],
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
];

/** Splits an expression into tokens that join to the same text again. Never fails: an unknown character is a mark. */
export function* tokenize(text: string): Generator<Token, void, void> {
  let index = 0;
  while (index < text.length) {
    const token = tokenAt(text, index);
    yield token;
    index += token.text.length;
  }
}

function tokenAt(text: string, index: number): Token {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = index;
    const match = pattern.exec(text)?.[0];
    if (match) return { kind, text: match };
  }
  if (text[index] === '"') return { kind: 'quoted', text: text.slice(index, endOfNested(text, index + 1, '"')) };
  return { kind: 'mark', text: text.slice(index, index + 1) };
}

type Opening = '"' | '{';

/**
 * Returns the index after the quote or brace that closes the one opened just before `start`, or the end of the text.
 * Templates nest in code and code in templates, so `"${"}"}"` is one quoted text.
 */
export function endOfNested(text: string, start: number, opening: Opening): number {
  const open: Opening[] = [opening];
  let index = start;
  while (open.length > 0 && index < text.length) {
    index += open.at(-1) === '"' ? stepInTemplate(text, index, open) : stepInCode(text[index], open);
  }
  return Math.min(index, text.length);
}

/**
 * Returns the number of characters of a quoted template to skip, and records the end of the template and the start of
 * an interpolation.
 */
function stepInTemplate(text: string, index: number, open: Opening[]): number {
  const char = text[index];
  if (char === '\\') return 2;
  if (char === '"') open.pop();
  if (char !== '$' && char !== '%') return 1;
  if (text.startsWith(`${char}{`, index + 1)) return 3;
  if (text[index + 1] !== '{') return 1;
  open.push('{');
  return 2;
}

function stepInCode(char: string | undefined, open: Opening[]): number {
  if (char === '"' || char === '{') open.push(char);
  else if (char === '}') open.pop();
  return 1;
}
