import fc from 'fast-check';
import { exampleOf, type Schema } from '../../src/domains/discovery/example.ts';

/** Is part of every text that the fuzzer creates: no error message may repeat it. */
export const mark = 'canary9d41e7';

/** Real ids by the name of the field or parameter that takes them: own ones, and some of other Workspaces. */
export type Pool = Readonly<Record<string, readonly string[]>>;

/** Texts that often break programs. */
const absurd = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  '\u2028',
  'é'.normalize('NFD'),
  '👩‍👩‍👧‍👦',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '..',
  '.',
  '%00',
  '%',
  "'; DROP TABLE runs;--",
  '$' + '{jndi:ldap://x}',
  '{{7*7}}',
  '<script>',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e309',
  '9007199254740993',
  '0x10',
  '١٢٣',
  'true',
  '[]',
  '{}',
  `${mark}`,
  'x'.repeat(5_000),
  '😀'.repeat(300),
  'a\udc00b',
  '\ud83d',
  'x'.repeat(32_769),
];

/** Texts in the form of a date, with days and times that do not exist or that other formats have. */
const oddDates = [
  '2026-13-45T99:99:99.000Z',
  '2027-02-30T00:00:00.000Z',
  '2027-02-29T12:00:00.000Z',
  '2026-01-01T24:00:00.000Z',
  '2026-12-31T23:59:60.000Z',
  '0000-00-00T00:00:00.000Z',
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.000+09:00',
  '+275760-09-13T00:00:00.001Z',
  '2026-01-01',
];

export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...absurd),
  fc.constantFrom(...oddDates),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => mark + text),
  fc.string({ maxLength: 12 }),
);

const oddNumber = fc.constantFrom(0, -1, 1.5, 1e21, 1e308, Number.MAX_SAFE_INTEGER, 2 ** 53, -(2 ** 63), 5e-324);

const literalMark = 'literal4f0c:';
/** Numbers that no JavaScript value is written as in JSON. */
const oddLiteral = fc
  .constantFrom('-0', '-0.0', '1e400', '-1e400', '1E+309', '1e-400', '9'.repeat(400), '0.1e1', '-0e-0')
  .map((literal) => literalMark + literal);

/**
 * Writes a value as JSON text; marked literals become the numbers that they spell, and every object may repeat a key.
 */
export function jsonText(value: unknown, { repeatKey = false } = {}): string {
  const text = (JSON.stringify(value) ?? '').replaceAll(new RegExp(`"${literalMark}([^"]+)"`, 'g'), '$1');
  return repeatKey ? text.replace(/\{("(?:[^"\\]|\\.)*"):/, '{$1:null,$1:') : text;
}

const nested = (levels: number): unknown => {
  let value: unknown = mark;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Any JSON value, including deep and wide ones. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  { weight: 3, arbitrary: oddNumber },
  { weight: 1, arbitrary: oddLiteral },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: null }) },
  { weight: 1, arbitrary: fc.constantFrom(8, 31, 33, 63, 64, 65, 200).map(nested) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

const textOf = (schema: Schema, key: string, pool: Pool): fc.Arbitrary<unknown> => {
  const known = pool[key];
  const example = fc.constant(exampleOf(schema, key));
  const within = fc
    .string({ unit: 'grapheme', maxLength: Math.min(Number(schema.maxLength ?? 30), 30) })
    .map((text) => text.padEnd(Number(schema.minLength ?? 0), 'x'));
  if (known && known.length > 0)
    return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: example });
  if (typeof schema.pattern === 'string' && schema.pattern.includes('T\\d'))
    return fc.oneof({ weight: 3, arbitrary: example }, { weight: 2, arbitrary: fc.constantFrom(...oddDates) });
  return typeof schema.pattern === 'string'
    ? fc.oneof({ weight: 6, arbitrary: example }, { weight: 1, arbitrary: within })
    : fc.oneof({ weight: 3, arbitrary: example }, { weight: 2, arbitrary: within });
};

type Around = { key: string; pool: Pool; defs: Readonly<Record<string, Schema>>; depth: number };

function objectOf(schema: Schema, around: Around): fc.Arbitrary<unknown> {
  const required = (schema.required ?? []) as string[];
  const known = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const open = schema.additionalProperties;
  const record = fc.record(
    Object.fromEntries(known.map(([key, child]) => [key, fitting(child, { ...around, key, depth: around.depth + 1 })])),
    { requiredKeys: required.filter((key) => known.some(([name]) => name === key)) },
  );
  if (known.length > 0 || open === null || typeof open !== 'object') return record;
  const value = fitting(open as Schema, { ...around, key: '', depth: around.depth + 1 });
  return fc.dictionary(fc.constantFrom('name', 'REGION', 'a_b', 'replicas'), value, { maxKeys: 3 });
}

/** Values that a schema accepts, as far as its JSON form shows. */
function fitting(schemaOrRef: Schema, around: Around): fc.Arbitrary<unknown> {
  const ref = schemaOrRef.$ref;
  const schema = typeof ref === 'string' ? (around.defs[ref.replace(/^#\/\$defs\//, '')] ?? {}) : schemaOrRef;
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  if (around.depth > 6) return fc.constant(exampleOf({ ...schema, $defs: around.defs }, around.key));
  const types = Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : undefined;
  const options = (types ?? schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (options) return fc.oneof(...options.map((option) => fitting(option, { ...around, depth: around.depth + 1 })));
  return fittingType(schema, around);
}

function fittingType(schema: Schema, around: Around): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, around);
    case 'array': {
      const items = schema.items as Schema | undefined;
      if (!items || 'not' in items) return fc.constant([]);
      return fc.array(fitting(items, { ...around, depth: around.depth + 1 }), { maxLength: 3 });
    }
    case 'string':
      return textOf(schema, around.key, around.pool);
    case 'integer':
      return fc.integer({
        min: Number(schema.minimum ?? -5),
        max: Math.min(Number(schema.maximum ?? 1_000), 1_000_000),
      });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return oddValue;
  }
}

/** Values that a JSON Schema accepts; ids among them are real ones of the pool. */
export const valuesOf = (schema: Schema, key: string, pool: Pool): fc.Arbitrary<unknown> =>
  fitting(schema, { key, pool, defs: (schema.$defs ?? {}) as Record<string, Schema>, depth: 0 });
