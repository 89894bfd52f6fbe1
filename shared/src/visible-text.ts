/**
 * Characters that reorder, hide or join the text around them, or are invisible: controls, ignorable characters
 * (Default_Ignorable_Code_Point, UAX #44), bidirectional marks, line and paragraph separators, interlinear annotation
 * marks (U+FFF9 to U+FFFB) and the empty Braille cell.
 */
const tricky =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is shown
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\u2800\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/gu;

/** Makes untrusted text safe to display: deceptive characters become `\u{…}`. */
export const visibleText = (text: string): string =>
  text.replace(tricky, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

/** Escape sequences that set colors (ECMA-48, SGR). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
export const terminalStyle = /\u001b\[[0-9;:]*m/g;

/** Returns one log line as plain text: without colors, and safe to read. */
export const visibleLine = (line: string): string => visibleText(line.replace(terminalStyle, ''));
