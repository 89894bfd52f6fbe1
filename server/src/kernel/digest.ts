import { createHash, createHmac, hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { writeExactly } from '#shared/kernel/exact-number';

type Bytes = string | Uint8Array;

export const sha256Hex = (bytes: Bytes): string => hash('sha256', bytes);

/** Returns `sha256:` and 64 lower-case hex digits. */
export const digestOf = (bytes: Bytes): string => `sha256:${sha256Hex(bytes)}`;

/** Returns the RFC 8785 form of a JSON value, without undefined members. */
export const canonicalJson = (value: unknown): string => writeExactly(value, (plain) => canonicalize(plain) ?? 'null');

/** Returns the digest of the RFC 8785 form of a JSON value. */
export const jsonDigest = (value: unknown): string => digestOf(canonicalJson(value));

/** A key, or a function that returns it at each use, because a sealed vault has none yet. */
export type MacKey = string | (() => string);

/** SHA-256 as bytes. */
export const sha256 = (bytes: Bytes): Buffer => createHash('sha256').update(bytes).digest();

export const hmacHex = (key: MacKey, bytes: Bytes): string =>
  createHmac('sha256', typeof key === 'function' ? key() : key)
    .update(bytes)
    .digest('hex');
