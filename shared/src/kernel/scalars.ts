import { z } from 'zod';

/** ISO-8601 UTC with milliseconds and `Z`, of a day and time that exist: 30 February and 24:00 are refused. */
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .refine((text) => {
    const time = new Date(text);
    return !Number.isNaN(time.getTime()) && time.toISOString() === text;
  });
/** Epoch milliseconds. */
export const Millis = z.int().min(0);
export const Count = z.int().min(0);
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused
const noControl = /^[^\u0000-\u001f\u007f]*$/;
/** 1 to 120 characters, no control character, no surrounding whitespace. */
export const DisplayName = z
  .string()
  .min(1)
  .max(120)
  .regex(noControl)
  .refine((text) => text.trim() === text);
/** Trimmed and lower-cased, 3 to 254 characters with exactly one `@`, and no white space or control character. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .min(3)
  .max(254)
  .regex(/^[^@\s]+@[^@\s]+$/)
  .regex(noControl);
export const CapsuleName = z
  .string()
  .min(1)
  .max(80)
  .regex(noControl)
  .refine((text) => text.trim() !== '');
export const Handle = z.string().regex(/^[a-z0-9][a-z0-9-]{1,38}$/);
export const Slug = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/);
export const Environment = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/);
export const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/);
/** 1 to 256 bytes, no control character. */
export const Reason = z
  .string()
  .min(1)
  .regex(noControl)
  .refine((text) => new TextEncoder().encode(text).length <= 256);
/** `1`, `true`, `0` or `false` in a query. */
export const QueryBoolean = z.enum(['1', 'true', '0', 'false']).transform((text) => text === '1' || text === 'true');
/** A comma-separated list in a query. */
export const listOf = <const T extends readonly string[]>(values: T) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values)).min(1));

/** Lower-cases a name and replaces every other run of characters by one dash. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63) || 'capsule';

/** A DNS name in lower case, of at most 253 characters in all (RFC 1035, 2.3.4). */
export const domainName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** A domain below which a label of 63 characters still fits. */
export const BaseDomain = z.string().max(180).regex(domainName);
