/** Maximum number of UTF-8 bytes of one line; the rest is cut and marked. */
const lineMaxBytes = 16_384;
const cutMark = ' [cut]';

/**
 * Splits a text into log lines. Colors (SGR sequences of ECMA-48) stay, every other control character becomes an
 * escape, because a log is shown in terminals and pages that would interpret it.
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

/** Escapes the control characters of a text; colors, tabs and line feeds stay. */
export function escapeControls(text: string): string {
  return text.replace(controls, (match) =>
    match.length > 1 ? match : `\\x${match.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
