import { canonicalJson, hmacHex } from '#server/kernel/digest';
import type { Json } from '#shared/kernel/json';

/** Number of hexadecimal digits of a digest: 128 bits, because it only distinguishes values of one Capsule. */
const digits = 32;

/** Returns the keyed digest of a value; undefined without a key. */
export const createValueDigest = (key: string | undefined): ((value: Json) => string) | undefined =>
  key === undefined ? undefined : (value) => hmacHex(key, canonicalJson(value)).slice(0, digits);
