import { createHash, createHmac } from 'node:crypto';
import canonicalize from 'canonicalize';
import { writeExactly } from '#shared/kernel/exact-number';

type Bytes = string | Uint8Array;

export const sha256Hex = (bytes: Bytes): string => createHash('sha256').update(bytes).digest('hex');

/** `sha256:` and 64 lower-case hex digits. */
export const digestOf = (bytes: Bytes): string => `sha256:${sha256Hex(bytes)}`;

/** The RFC 8785 form of a JSON value; members that are undefined do not count. */
export const canonicalJson = (value: unknown): string => writeExactly(value, (plain) => canonicalize(plain) ?? 'null');

/** Digest of a JSON value, taken over its RFC 8785 form. */
export const jsonDigest = (value: unknown): string => digestOf(canonicalJson(value));

/** A key, or a function that is asked for it at each use, because a sealed vault has none yet. */
export type MacKey = string | (() => string);

export const hmacHex = (key: MacKey, bytes: Bytes): string =>
  createHmac('sha256', typeof key === 'function' ? key() : key)
    .update(bytes)
    .digest('hex');
