/** Content of a keyword: one schema, a list of schemas, schemas by name, or a value that is not a schema. */
export type KeywordContent = 'schema' | 'schemas' | 'named' | 'value';

const withContent = (content: KeywordContent, ...names: readonly string[]) =>
  names.map((name): [string, KeywordContent] => [name, content]);

/** Keywords of JSON Schema 2020-12 that a schema may use. `definitions` is the older name of `$defs`. */
export const keywords: ReadonlyMap<string, KeywordContent> = new Map([
  ...withContent('schema', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else', 'items'),
  ...withContent('schema', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'),
  ...withContent('schemas', 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...withContent('named', '$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas'),
  ...withContent('value', '$schema', '$ref', '$dynamicRef', '$anchor', '$dynamicAnchor', '$comment'),
  ...withContent('value', 'type', 'const', 'enum', 'required', 'dependentRequired', 'format', 'pattern'),
  ...withContent('value', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'),
  ...withContent('value', 'maxLength', 'minLength', 'maxItems', 'minItems', 'uniqueItems', 'maxContains'),
  ...withContent('value', 'minContains', 'maxProperties', 'minProperties', 'contentEncoding', 'contentMediaType'),
  ...withContent('value', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'),
]);

/** Keywords that would give a part of the schema another base, so that a reference could leave the document. */
export const refusedKeywords: ReadonlySet<string> = new Set([
  '$id',
  'id',
  '$vocabulary',
  '$recursiveRef',
  '$recursiveAnchor',
]);

/** Reports whether a keyword is an annotation of the author, which nothing evaluates. */
export const isOwnAnnotation = (keyword: string): boolean => keyword.startsWith('x-');

/** Keywords whose values may hold anything, and that no validation reads. */
export const freeValues: ReadonlySet<string> = new Set(['default', 'examples']);

/** The only dialect. */
export const dialect = 'https://json-schema.org/draft/2020-12/schema';
