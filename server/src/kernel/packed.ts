import { gunzipSync, gzipSync } from 'node:zlib';

/** Fast, and close to the best ratio for the repetitive JSON of a state. */
const level = 1;
const isPacked = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Compresses a JSON text; done before it is sealed, because sealed bytes do not compress. */
export const packText = (text: string): Buffer => gzipSync(text, { level });

/** Returns a text that was stored compressed, or as it is by an earlier version: JSON never begins with these bytes. */
export const unpackText = (bytes: Buffer): string => (isPacked(bytes) ? gunzipSync(bytes) : bytes).toString();
