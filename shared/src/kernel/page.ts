import { z } from 'zod';
import { limits } from '../limits.ts';

/** Digits without sign, at least 1; what is above the maximum is clamped by the server. */
export const Limit = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(Number)
  .refine((value) => value >= 1);

export const pageQuery = z.object({ limit: Limit.optional(), cursor: z.string().min(1).max(512).optional() });

export const clampLimit = (limit: number | undefined, max: number = limits.pageMax, fallback = 100): number =>
  Math.min(limit ?? Math.min(fallback, max), max);
