/** An entry is one line of at most this many UTF-8 bytes; the rest is cut and marked. */
const lineMaxBytes = 16_384;
const cutMark = ' [cut]';

/**
 * The lines of a text as they are kept: colours (SGR sequences of ECMA-48) stay, every other control character is
 * written as an escape, because a log is shown in terminals and pages that would obey it.
 */
export function toLogLines(text: string): string[] {
  return text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => escapeControls(cut(line)));
}

function cut(line: string): string {
  // A UTF-16 unit is at most three bytes, so most lines need no counting.
  if (line.length * 3 <= lineMaxBytes || Buffer.byteLength(line) <= lineMaxBytes) return line;
  const truncated = Buffer.from(line, 'utf8')
    .subarray(0, lineMaxBytes - cutMark.length)
    .toString('utf8');
  return truncated.replace(/\uFFFD+$/, '') + cutMark;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
const controls = /\x1b\[[0-9;:]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** A text with its control characters written as escapes; colours, tabs and line feeds stay. */
export function escapeControls(text: string): string {
  return text.replace(controls, (match) =>
    match.length > 1 ? match : `\\x${match.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
