import { jsonDigest } from '#server/kernel/digest';
import { writeJson } from '#shared/kernel/exact-number';
import { isJsonObject, type Json, JsonError, type JsonObject, parseStrictJson } from '#shared/kernel/json';
import { formPackageLimits } from '#shared/limits';

/**
 * Parses the text of a package. Throws `JsonError`: duplicate keys, `__proto__`, numbers and nesting that JSON cannot
 * exchange.
 */
export function parsePackage(bytes: Uint8Array | string): Json {
  const text = typeof bytes === 'string' ? bytes : decoded(bytes);
  if (Buffer.byteLength(text) > formPackageLimits.fileBytes)
    throw new JsonError(`It is larger than ${formPackageLimits.fileBytes} bytes.`);
  return parseStrictJson(text, { maxDepth: formPackageLimits.depth });
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new JsonError('It is not encoded as UTF-8.');
  }
}

/** Digests that a file should name. */
type PackageDigests = { schemaDigest: string; packageDigest: string };

/** Returns the digests of a package as it is, whatever it claims. */
export const digestsOf = (json: JsonObject): PackageDigests => {
  const { packageDigest: _, ...rest } = json;
  return { schemaDigest: jsonDigest(json['desiredSchema'] ?? null), packageDigest: jsonDigest(rest) };
};

/** Returns a package with the digests that it should name. */
export function withDigests(json: JsonObject): JsonObject {
  const { formRef } = json;
  const schemaDigest = jsonDigest(json['desiredSchema'] ?? null);
  const filled = { ...json, ...(isJsonObject(formRef) && { formRef: { ...formRef, schemaDigest } }) };
  return { ...filled, packageDigest: digestsOf(filled).packageDigest };
}

/** Returns the text of a package file, indented for people. */
export const packageText = (json: Json): string => `${writeJson(json, 2)}\n`;
