const newline = 10;
/** Beginning of each line that the tool prints with `-json`. */
const lineStart = Buffer.from('{"@');

/**
 * Leaves out the rest of a line whose beginning an earlier supervisor has read: nothing can be made of it, and a secret
 * that is cut in two is not found. `onCut` is called once when there was such a rest.
 */
export function wholeLines(onChunk: (chunk: Buffer) => void, onCut: () => void): (chunk: Buffer) => void {
  /** Bytes from the first one on, while they decide nothing. */
  let start: Buffer = Buffer.alloc(0);
  let state: 'undecided' | 'cut' | 'whole' = 'undecided';
  const skipLine = (bytes: Buffer): void => {
    const end = bytes.indexOf(newline);
    if (end < 0) return;
    state = 'whole';
    if (end + 1 < bytes.length) onChunk(bytes.subarray(end + 1));
  };
  const decide = (bytes: Buffer): void => {
    const length = Math.min(bytes.length, lineStart.length);
    const isPossible = bytes.subarray(0, length).equals(lineStart.subarray(0, length));
    start = bytes;
    if (isPossible && length < lineStart.length) return;
    state = isPossible ? 'whole' : 'cut';
    if (isPossible) onChunk(bytes);
    else {
      onCut();
      skipLine(bytes);
    }
  };
  return (chunk) => {
    if (state === 'whole') onChunk(chunk);
    else if (state === 'cut') skipLine(chunk);
    else decide(Buffer.concat([start, chunk]));
  };
}
