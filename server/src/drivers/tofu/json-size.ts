/**
 * Reports whether a JSON text could hold more values than a limit. A parsed empty list takes twenty times the memory of
 * its two characters, so a crafted file of some hundred megabytes would end the process that parses it. This counts the
 * characters that begin or separate values, including those inside strings: that is fast, and never too low.
 */
export function hasMoreValuesThan(limit: number, text: Uint8Array | string): boolean {
  // A shorter text has fewer characters than the limit, and is not counted.
  if (text.length <= limit) return false;
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
