import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import type { TofuError } from './error.ts';

/**
 * Returns readers for lists and objects of a document that the tool wrote. `refuse` creates the error for another type.
 */
export const shapesOf = (refuse: (what: string) => TofuError) => ({
  /** Absent and null are an empty list. */
  list(value: Json | undefined): readonly Json[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw refuse('has a list that is none');
    return value;
  },
  record(value: Json | undefined): JsonObject {
    if (!isJsonObject(value)) throw refuse('has an object that is none');
    return value;
  },
});
