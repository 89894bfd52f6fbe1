import { z } from 'zod';
import type { Json } from './json.ts';

/**
 * Any value of a text that was parsed as JSON. Unlike zod's own schema it accepts exact numbers and visits every value
 * once.
 */
export const AnyJson = z.unknown().refine((value) => value !== undefined) as unknown as z.ZodType<Json>;
