import { z } from 'zod';
import type { Schema } from './example.ts';

/** JSON Schema of a zod schema; what cannot be said in it (undefined) is left open. */
export const schemaOf = (type: z.ZodType, io: 'input' | 'output'): Schema => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any', reused: 'inline' }) as Schema;
  return schema;
};
