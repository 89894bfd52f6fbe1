import { z } from 'zod';
import type { Schema } from './example.ts';
import { namedRecords } from './named-records.ts';

type ObjectForm = {
  oneOf?: readonly Alternative[];
  properties?: Record<string, unknown>;
  required?: readonly string[];
  [key: string]: unknown;
};
type Alternative = { required?: readonly string[]; properties?: Record<string, unknown> };

/**
 * An object that is filled in one of several ways becomes one whole object for each of them: many generators read an object
 * beside `oneOf` as nothing but the `oneOf`.
 */
function spellOut(form: ObjectForm): void {
  const { oneOf, properties, required = [], ...rest } = form;
  if (!oneOf || !properties) return;
  for (const key of Object.keys(form)) delete form[key];
  form.oneOf = oneOf.map((way) => ({
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => way.properties?.[name] !== false)),
    required: [...required, ...(way.required ?? [])],
  }));
}

/** zod leaves the default of a value that it transforms out of the form of what is sent. */
const override: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) => {
  const usual = z.globalRegistry.get(zodSchema as never)?.['default'];
  if (usual !== undefined) jsonSchema.default = usual as never;
  spellOut(jsonSchema as ObjectForm);
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
