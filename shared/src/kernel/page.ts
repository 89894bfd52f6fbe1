import { z } from 'zod';
import { maxSearchLength, type PageSize, pageSizes } from '../limits.ts';

/** Page size of a query: digits without sign. Its bounds are part of its JSON Schema. */
export const limitOf = ({ max, usual, refusesMore = false }: PageSize) =>
  z
    .string()
    .regex(/^[0-9]+$/)
    .transform(Number)
    .refine((value) => value >= 1 && !(refusesMore && value > max))
    .optional()
    .transform((value = usual) => Math.min(value, max))
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: max,
      default: usual,
      description: refusesMore ? 'Largest number of items' : `Largest number of items; more is taken as ${max}`,
    });

export const pageQueryOf = (size: PageSize) =>
  z.object({ limit: limitOf(size), cursor: z.string().min(1).max(512).optional() });
export const pageQuery = pageQueryOf(pageSizes.list);

/** Search text of a list; case is ignored. */
export const SearchText = z.string().min(1).max(maxSearchLength);

/** Position of an item in a stream or a feed. */
export const Sequence = z
  .string()
  .regex(/^[0-9]{1,12}$/)
  .transform(Number);
