import { inflateSync } from 'node:zlib';
import { damaged } from './git-error.ts';

/**
 * Returns the maximum number of bytes that zlib needs for a content of this size, stored blocks included, so a reader
 * knows how much to read.
 */
export const deflatedBound = (size: number): number => size + (size >>> 8) + 64;

/**
 * Inflates one zlib stream at the start of `input`, which must give exactly `size` bytes, and returns how many bytes of
 * input it consumed. Never produces more than `size` bytes, whatever the stream claims.
 */
export function inflateExactly(input: Buffer, size: number): { bytes: Buffer; consumed: number } {
  const options = { info: true, chunkSize: Math.max(64, size + 1), maxOutputLength: Math.max(1, size) };
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    // With `info` the result is this pair (zlib documentation, "Class: Options"); the declared type is a Buffer.
    result = inflateSync(input, options) as unknown as typeof result;
  } catch {
    throw damaged('an object cannot be unpacked');
  }
  if (result.buffer.length !== size) throw damaged('an object has another size than it says');
  return { bytes: result.buffer, consumed: result.engine.bytesWritten };
}
