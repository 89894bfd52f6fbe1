import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { writeExactly } from '#shared/kernel/exact-number';
import { isContainer, type Json } from '#shared/kernel/json';

/** Returns `sha256:` and 64 lower-case hex digits. */
export const digestOf = (bytes: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Returns the RFC 8785 form of a JSON value, without undefined members. */
export const canonicalJson = (value: unknown): string => writeExactly(value, (plain) => canonicalize(plain) ?? 'null');

/** Returns the digest of the RFC 8785 form of a JSON value. */
export const jsonDigest = (value: unknown): string => digestOf(canonicalJson(value));

export const isSameJson = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);

/** A shorter value occurs in other texts by chance. */
const shortestValue = 8;

/** Returns the strings and numbers of a JSON value that are long enough to be recognized in a text. */
export function recognizableValues(value: Json): string[] {
  if (isContainer(value)) return Object.values(value).flatMap((child) => recognizableValues(child as Json));
  const text = value === null || typeof value === 'boolean' ? '' : String(value);
  return text.length >= shortestValue ? [text] : [];
}
