import { examplesByKey, forms } from './example-texts.ts';

/** JSON Schema as `z.toJSONSchema` writes it. */
export type Schema = { readonly [key: string]: unknown };

type SchemaContext = { key: string; parent: string; depth: number; defs: Readonly<Record<string, Schema>> };

/** Maximum depth of an example: recursive schemas end here. */
const maxDepth = 8;

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

const textFits = (schema: Schema, text: string): boolean =>
  text.length >= Number(schema.minLength ?? 0) &&
  text.length <= Number(schema.maxLength ?? Number.POSITIVE_INFINITY) &&
  (typeof schema.pattern !== 'string' || new RegExp(schema.pattern, 'u').test(text));

const numberFits = (schema: Schema, value: number): boolean =>
  value >= Number(schema.minimum ?? Number.NEGATIVE_INFINITY) &&
  value <= Number(schema.maximum ?? Number.POSITIVE_INFINITY);

function listFits(schema: Schema, list: readonly unknown[], context: SchemaContext): boolean {
  const items = schema.items as Schema | undefined;
  return (
    list.length >= Number(schema.minItems ?? 0) &&
    (items === undefined || list.every((item) => fits(items, item, context)))
  );
}

function objectFits(schema: Schema, value: object, context: SchemaContext): boolean {
  const known = (schema.properties ?? {}) as Record<string, Schema>;
  const required = (schema.required ?? []) as string[];
  const rest = schema.additionalProperties as Schema | false | undefined;
  if (!required.every((key) => key in value)) return false;
  return Object.entries(value).every(([key, child]) => {
    const rule = known[key] ?? rest;
    return rule === undefined || (rule !== false && fits(rule, child, context));
  });
}

/** Alternatives of a value; several types are separate alternatives. */
function optionsOf({ anyOf, oneOf, type, ...rest }: Schema): readonly Schema[] | undefined {
  if (Array.isArray(type)) return type.map((one: string) => ({ ...rest, type: one }));
  return (anyOf ?? oneOf) as Schema[] | undefined;
}

/** True when a value matches a schema. Supports only the keywords that our schemas use. */
function fits(schema: Schema, value: unknown, context: SchemaContext): boolean {
  const { schema: rule } = resolve(schema, context);
  const options = optionsOf(rule);
  if (options) return options.some((option) => fits(option, value, context));
  if ('not' in rule) return false;
  if ('const' in rule) return rule.const === value;
  if (Array.isArray(rule.enum)) return rule.enum.includes(value);
  const type = typeOf(value);
  if (rule.type === undefined) return !('allOf' in rule);
  if (rule.type !== type && !(rule.type === 'number' && type === 'integer')) return false;
  if (typeof value === 'string') return textFits(rule, value);
  if (typeof value === 'number') return numberFits(rule, value);
  if (Array.isArray(value)) return listFits(rule, value, context);
  return value === null || typeof value !== 'object' || objectFits(rule, value, context);
}

function resolve(schema: Schema, context: SchemaContext): { schema: Schema } {
  const ref = schema.$ref;
  if (typeof ref !== 'string') return { schema };
  return { schema: context.defs[ref.replace(/^#\/\$defs\//, '')] ?? {} };
}

/** Returns the singular: `capsules` contains Capsules, `capsule` is one. */
const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');

function candidates({ key, parent }: SchemaContext): readonly unknown[] {
  if (key === 'id')
    return examplesByKey[`${singular(parent)}Id`] ?? forms.filter((form) => !String(form).startsWith('2'));
  return [...(examplesByKey[key] ?? []), ...(examplesByKey[singular(key)] ?? [])];
}

const inside = (context: SchemaContext, key: string): SchemaContext => ({
  ...context,
  key,
  parent: context.key,
  depth: context.depth + 1,
});

function exampleObject(schema: Schema, context: SchemaContext): Record<string, unknown> {
  const required = (schema.required ?? []) as string[];
  const known = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    .filter(([key]) => required.includes(key) || context.depth < maxDepth)
    .map(([key, child]): [string, unknown] => [key, exampleValue(child, inside(context, key))]);
  const open = schema.additionalProperties;
  if (known.length > 0 || open === undefined || typeof open !== 'object' || context.depth >= maxDepth)
    return Object.fromEntries(known);
  const names = schema.propertyNames as Schema | undefined;
  const key = names ? String(exampleValue(names, { ...context, key: '', parent: '' })) : 'name';
  return { [key]: exampleValue(open as Schema, inside(context, key)) };
}

function exampleText(schema: Schema): string {
  const shortForm = forms.find(
    (form) => typeof form === 'string' && form !== '' && form.length < 12 && textFits(schema, form),
  );
  const any = shortForm ?? forms.find((form) => typeof form === 'string' && textFits(schema, form));
  return typeof any === 'string' ? any : 'example'.padEnd(Number(schema.minLength ?? 0), 'x');
}

function exampleOption(options: readonly Schema[], context: SchemaContext): unknown {
  const isPlain = (option: Schema) =>
    !['null', 'array', 'object'].includes(String(resolve(option, context).schema.type));
  const nonNull = options.filter((option) => resolve(option, context).schema.type !== 'null');
  const chosen = context.depth >= maxDepth ? (nonNull.find(isPlain) ?? nonNull[0]) : nonNull[0];
  return chosen ? exampleValue(chosen, context) : null;
}

/** Merges schemas of an `allOf` into one. */
const merged = (parts: readonly Schema[]): Schema => ({
  type: 'object',
  properties: Object.assign({}, ...parts.map((part) => part.properties)),
  required: parts.flatMap((part) => (part.required ?? []) as string[]),
});

function exampleValue(unresolved: Schema, context: SchemaContext): unknown {
  const { schema } = resolve(unresolved, context);
  if ('const' in schema) return schema.const;
  const isOpen = Object.keys(schema).length === 0;
  const fitting = isOpen ? undefined : candidates(context).find((candidate) => fits(schema, candidate, context));
  if (fitting !== undefined) return fitting;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const options = optionsOf(schema);
  if (options) return exampleOption(options, context);
  return exampleByType(schema, context);
}

function exampleByType(schema: Schema, context: SchemaContext): unknown {
  if (Array.isArray(schema.allOf)) return exampleObject(merged(schema.allOf as Schema[]), context);
  switch (schema.type) {
    case 'object':
      return exampleObject(schema, context);
    case 'array':
      return exampleList(schema, context);
    case 'string':
      return exampleText(schema);
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema.minimum ?? 1));
    default:
      return schema.type === 'null' ? null : {};
  }
}

function exampleList(schema: Schema, context: SchemaContext): unknown[] {
  const first = schema.prefixItems as Schema[] | undefined;
  if (first) return first.map((item) => exampleValue(item, { ...context, depth: context.depth + 1 }));
  const items = schema.items;
  if (context.depth >= maxDepth || typeof items !== 'object' || items === null || 'not' in items) return [];
  // The items of a list are named after it: `runs` contains Runs.
  return [exampleValue(items as Schema, { ...context, depth: context.depth + 1 })];
}

/** Returns a complete example of a schema. `key` is the name of the value, where it has one. */
export const exampleOf = (schema: Schema, key = ''): unknown =>
  exampleValue(schema, { key, parent: '', depth: 0, defs: (schema.$defs ?? {}) as Record<string, Schema> });
