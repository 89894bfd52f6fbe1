import { z } from 'zod';
import type { Schema } from './example.ts';
import { namedRecords } from './named-records.ts';

/** zod leaves the default of a value that it transforms out of the form of what is sent. */
const override: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) => {
  const usual = z.globalRegistry.get(zodSchema as never)?.['default'];
  if (usual !== undefined) jsonSchema.default = usual as never;
};
const options = { unrepresentable: 'any', reused: 'inline', override } as const;

/** JSON Schema of a zod schema, with every part in its place; what cannot be said in it (undefined) is left open. */
export const schemaOf = (type: z.ZodType, io: 'input' | 'output'): Schema =>
  withoutDialect(z.toJSONSchema(type, { ...options, io }));

/** The same with records by their names, in `$defs`. Only answers hold records: what is sent may leave their defaults out. */
export const namedSchemaOf = (type: z.ZodType): Schema =>
  withoutDialect(z.toJSONSchema(type, { ...options, io: 'output', metadata: namedRecords as never }));

function withoutDialect(schema: object): Schema {
  const { $schema: _, ...rest } = schema as Schema;
  return rest;
}
