import type { PublishedManifestVersion } from '#shared/manifest/versions';
import type { Rule } from './shape.ts';
import { manifestShapes } from './versions.ts';

type Schema = Readonly<Record<string, unknown>>;
type Published = Schema & { readonly $schema: string; readonly type: 'object' };
type Printers = { [K in Rule['is']]: (rule: Extract<Rule, { is: K }>) => Schema };

const print = (rule: Rule): Schema => (printers[rule.is] as (rule: Rule) => Schema)(rule);
const textOf = ({ min, max, pattern }: Extract<Rule, { is: 'text' }>): Schema => ({
  type: 'string',
  minLength: min,
  maxLength: max,
  ...(pattern && { pattern: pattern.source }),
});

const printers: Printers = {
  text: textOf,
  boolean: () => ({ type: 'boolean' }),
  integer: ({ min, max }) => ({ type: 'integer', minimum: min, maximum: max }),
  word: ({ values }) => (values.length === 1 ? { const: values[0] } : { enum: values }),
  json: () => ({}),
  list: ({ item, min, max, isUnique }) => ({
    type: 'array',
    items: print(item),
    ...(min > 0 && { minItems: min }),
    maxItems: max,
    ...(isUnique && { uniqueItems: true }),
  }),
  map: ({ key, value, min, max }) => ({
    type: 'object',
    propertyNames: textOf(key),
    additionalProperties: print(value),
    ...(min > 0 && { minProperties: min }),
    maxProperties: max,
  }),
  object: ({ fields, required, count }) => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, print(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(count && { minProperties: count.min, maxProperties: count.max }),
  }),
  choice: ({ cases }) => ({ oneOf: Object.values(cases).map(print) }),
};

const printed = new Map<PublishedManifestVersion, Published>();

/** Returns the structural JSON Schema of a version; only the parser checks rules between fields. */
export function publishedSchema(version: PublishedManifestVersion): Published {
  const known = printed.get(version);
  if (known) return known;
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Repository manifest ${version}`,
    ...print(manifestShapes[version]),
    type: 'object' as const,
  };
  printed.set(version, schema);
  return schema;
}
