import { createHmac } from 'node:crypto';
import { writeJson } from '#shared/kernel/exact-number';
import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';
import { digestMember, isSensitiveMark } from '#shared/plans/marks';
import type { sensitiveMark } from '#shared/vendor';

/** Stored replacement of a sensitive value: its digest shows later whether the value changed. */
export type StoredMark = typeof sensitiveMark & { readonly digest: string };

const digestBytes = 16;

/** Reports whether a value is a stored mark. A value with any other member is a value of the module. */
export const isStoredMark = (value: Json | undefined): value is StoredMark & JsonObject =>
  isSensitiveMark(value) && typeof value[digestMember] === 'string' && Object.keys(value).length === 2;

export type Digest = (value: Json) => string;

/**
 * Creates digests of values, keyed so that values can be tried out only with the key of the installation. The digest of a
 * container is made of those of its members, and that of a stored mark is the one that it carries, so that a redacted
 * value has the digest of the original.
 */
export function createDigest(key: string): Digest {
  const mac = (text: string): string => macOf(key, text);
  const digest: Digest = (value) => {
    if (isStoredMark(value)) return value.digest;
    if (!isContainer(value)) return mac(`leaf ${writeJson(value)}`);
    if (Array.isArray(value)) return mac(`list ${value.map((item: Json) => digest(item)).join(' ')}`);
    const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${digest(item)}`);
    return mac(`object ${members.sort().join(' ')}`);
  };
  return digest;
}

/** Creates digests of whole objects, which are compared only with each other: one computation for all their members. */
export const createObjectDigest =
  (key: string): Digest =>
  (value) =>
    macOf(key, `whole ${writeJson(value)}`);

const macOf = (key: string, text: string): string =>
  createHmac('sha256', key).update(text).digest().subarray(0, digestBytes).toString('base64url');
