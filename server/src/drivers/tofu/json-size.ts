/**
 * Whether a JSON text could hold more values than a limit. Parsed, an empty list takes twenty times the room of its two
 * characters, so that a file of some hundred megabytes, written for that, ends the process that reads it. Counted are the
 * marks that begin or divide values, those inside texts too: it is quick, and never too few.
 */
export function hasMoreValuesThan(limit: number, text: Uint8Array | string): boolean {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === comma || byte === bracket || byte === brace) count += 1;
    if (count > limit) return true;
  }
  return false;
}

const comma = 0x2c;
const bracket = 0x5b;
const brace = 0x7b;

/** Far beyond any real state: some hundred thousand resources. */
export const stateMaxValues = 16_000_000;
