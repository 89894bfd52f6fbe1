const newline = 10;
/** Beginning of each line that the tool prints with `-json`. */
export const jsonLineStart = Buffer.from('{"@');

/**
 * Leaves out the rest of a line whose beginning an earlier supervisor has read: nothing can be made of it, and a secret
 * that is cut in two is not found. `onCut` is called once when there was such a rest. Without a `lineStart`, with which
 * every whole line begins, the first line is always left out.
 */
export function wholeLines(
  onChunk: (chunk: Buffer) => void,
  onCut: () => void,
  lineStart: Buffer | undefined,
): (chunk: Buffer) => void {
  /** Bytes from the first one on, while they decide nothing. */
  let start: Buffer = Buffer.alloc(0);
  let state: 'undecided' | 'cut' | 'whole' = 'undecided';
  const skipLine = (bytes: Buffer): void => {
    const end = bytes.indexOf(newline);
    if (end < 0) return;
    state = 'whole';
    if (end + 1 < bytes.length) onChunk(bytes.subarray(end + 1));
  };
  const cut = (bytes: Buffer): void => {
    state = 'cut';
    onCut();
    skipLine(bytes);
  };
  const decide = (bytes: Buffer): void => {
    const known = lineStart?.subarray(0, bytes.length);
    if (lineStart === undefined || !known?.equals(bytes.subarray(0, known.length))) cut(bytes);
    else if (known.length < lineStart.length) start = bytes;
    else {
      state = 'whole';
      onChunk(bytes);
    }
  };
  return (chunk) => {
    if (state === 'whole') onChunk(chunk);
    else if (state === 'cut') skipLine(chunk);
    else decide(Buffer.concat([start, chunk]));
  };
}
