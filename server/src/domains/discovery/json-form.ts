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

/** Expands an object with exclusive alternatives into one whole object for each: many generators ignore the properties beside a `oneOf`. */
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

/** zod leaves the default of a transformed value out of the input schema. */
const override: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) => {
  const usual = z.globalRegistry.get(zodSchema as never)?.['default'];
  if (usual !== undefined) jsonSchema.default = usual as never;
  spellOut(jsonSchema as ObjectForm);
};
const options = { unrepresentable: 'any', reused: 'inline', override } as const;

/** JSON Schema of a zod schema, with every part inlined; a part that JSON Schema cannot express (undefined) is left open. */
export const schemaOf = (type: z.ZodType, io: 'input' | 'output'): Schema =>
  withoutDialect(z.toJSONSchema(type, { ...options, io }));

/** The same with records by their names, in `$defs`. Only answers use named records, because requests may leave their defaults out. */
export const namedSchemaOf = (type: z.ZodType): Schema =>
  withoutDialect(z.toJSONSchema(type, { ...options, io: 'output', metadata: namedRecords as never }));

function withoutDialect(schema: object): Schema {
  const { $schema: _, ...rest } = schema as Schema;
  return rest;
}
