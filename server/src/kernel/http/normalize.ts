import { z } from 'zod';

const isEmptyObject = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0;

/** Returns the schema below optional and default wrappers, and whether there was one. */
function unwrap(schema: z.core.$ZodType): { inner: z.core.$ZodType; isOptional: boolean } {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return { inner: unwrap(schema.def.innerType).inner, isOptional: true };
  return { inner: schema, isOptional: false };
}

/**
 * Normalizes a parsed body for its idempotency digest: an empty object at an optional member equals an absent one. Maps
 * and free JSON stay unchanged, because an empty object is a value there.
 */
export function normalizeBody(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => normalizeBody(schema.def.element, item));
  if (!(schema instanceof z.ZodObject) || value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).flatMap(([key, child]): [string, unknown][] => {
    const member = schema.shape[key];
    if (member === undefined) return [[key, child]];
    const { inner, isOptional } = unwrap(member);
    const normalized = normalizeBody(inner, child);
    return isOptional && isEmptyObject(normalized) ? [] : [[key, normalized]];
  });
  return Object.fromEntries(members);
}
