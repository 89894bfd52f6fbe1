const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`;
const octalBytes = (text: string): string => [...Buffer.from(text, 'utf8')].map(octal).join('');

/** Letters of `$'…'` in bash, which writes all other control characters as octal numbers. */
const ansiEscapes: { readonly [char: string]: string } = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\E',
  "'": "\\'",
  '\\': '\\\\',
};

/**
 * Returns the shell-quoted forms of a text: in the traces of `set -x`, and by `printf %q`, which writes a backslash
 * before special characters, and `$'…'` for unprintable ones (Bash Reference Manual, ANSI-C Quoting).
 */
export function shellForms(text: string): string[] {
  const ansi = text.replaceAll(/[\p{Cc}'\\]/gu, (char) => ansiEscapes[char] ?? octalBytes(char));
  return [
    text.replaceAll("'", "'\\''"),
    text.replaceAll(/[ "'\\|&;()<>!{}*[\]?^$`,]|(?<=[:=])~/g, '\\$&'),
    ansi,
    ansi.replaceAll(/[^\0-\x7f]+/g, octalBytes),
  ];
}

const yamlEscapes: { readonly [char: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '\x85': '\\N',
  '\xa0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function yamlNumber(char: string): string {
  const code = char.codePointAt(0) as number;
  const digits = code.toString(16).toUpperCase();
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** Returns the YAML-quoted forms of a text (YAML 1.2.2, 5.7 and 7.3): doubled single quotes, or escapes between double quotes. */
export function yamlForms(text: string): string[] {
  const spell = (char: string): string => yamlEscapes[char] ?? yamlNumber(char);
  return [
    text.replaceAll("'", "''"),
    text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, spell),
    text.replaceAll(/["\\]|[^\x20-\x7e]/gu, spell),
  ];
}
