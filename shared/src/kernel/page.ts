import { z } from 'zod';
import { limits } from '../limits.ts';

/** Digits without sign, at least 1; what is above the maximum is clamped by the server. */
export const Limit = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(Number)
  .refine((value) => value >= 1);

export const pageQuery = z.object({ limit: Limit.optional(), cursor: z.string().min(1).max(512).optional() });

/** A piece of text that a list is searched for, whatever its case. */
export const SearchText = z.string().min(1).max(256);

/** The place of an item in a stream or a feed. */
export const Sequence = z
  .string()
  .regex(/^[0-9]{1,12}$/)
  .transform(Number);

export const clampLimit = (limit: number | undefined, max: number = limits.pageMax, fallback = 100): number =>
  Math.min(limit ?? Math.min(fallback, max), max);
