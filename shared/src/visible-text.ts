/** Characters that turn, hide or join text around them: they are shown as escapes, because names and values come from strangers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is shown
const tricky = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A stranger's text, made safe to read: bidi, invisible and control characters become `\u{…}`. */
export const visibleText = (text: string): string =>
  text.replace(tricky, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

/** The sequences by which a program colours its text (ECMA-48, SGR). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
export const terminalStyle = /\u001b\[[0-9;:]*m/g;

/** One line of a log as plain text: without its colours, and safe to read. */
export const visibleLine = (line: string): string => visibleText(line.replace(terminalStyle, ''));
