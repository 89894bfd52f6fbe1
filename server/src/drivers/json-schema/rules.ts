import { ExactNumber } from '#shared/kernel/exact-number';
import { escapePointer, isContainer, isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { formSchemaLimits } from '#shared/limits';
import { dialect, isOwnAnnotation, type KeywordContent, keywords, refusedKeywords } from './keywords.ts';

/** A fault of a schema. The pointer begins at the root of the schema. */
export type SchemaProblem = { pointer: string; message: string };

type SchemaScan = {
  problems: SchemaProblem[];
  /** Locations that hold a schema; only these may be referenced. */
  schemas: Set<string>;
  anchors: Set<string>;
  references: { pointer: string; reference: string }[];
};

/**
 * Returns what keeps a JSON value from being a schema of a form: unknown keywords, references that leave the document
 * or lead nowhere, patterns that are not regular expressions, and numbers that JavaScript would change. It visits every
 * value once; the shape of each keyword is left to the meta-schema.
 */
export function findRuleProblems(schema: Json): SchemaProblem[] {
  const scan: SchemaScan = { problems: [], schemas: new Set(), anchors: new Set(), references: [] };
  visitSchema(schema, '', scan);
  visitNumbers(schema, '', scan);
  for (const { pointer, reference } of scan.references) {
    const message = referenceFault(reference, scan);
    if (message !== undefined) report(scan, pointer, message);
  }
  return scan.problems;
}

function report({ problems }: SchemaScan, pointer: string, message: string): void {
  if (problems.length < formSchemaLimits.problems) problems.push({ pointer, message });
}

function visitSchema(schema: Json | undefined, pointer: string, scan: SchemaScan): void {
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
    report(scan, pointer, 'A schema is an object, true or false.');
    return;
  }
  scan.schemas.add(pointer);
  if (typeof schema === 'boolean') return;
  for (const [keyword, value] of Object.entries(schema)) {
    const here = `${pointer}/${escapePointer(keyword)}`;
    const content = keywords.get(keyword);
    if (content !== undefined) visitKeyword({ keyword, value, content }, here, scan);
    else if (!isOwnAnnotation(keyword)) report(scan, here, unknownText(keyword));
  }
}

const unknownText = (keyword: string): string =>
  refusedKeywords.has(keyword)
    ? 'A schema of a form has no other base than its document. Remove this keyword.'
    : 'It is not a keyword of JSON Schema 2020-12. Correct its spelling, or begin the name of an annotation with x-.';

type Keyword = { keyword: string; value: Json; content: KeywordContent };

function visitKeyword({ keyword, value, content }: Keyword, here: string, scan: SchemaScan): void {
  if (content === 'schema') visitSchema(value, here, scan);
  if (content === 'schemas' && Array.isArray(value))
    for (const [index, item] of value.entries()) visitSchema(item as Json, `${here}/${index}`, scan);
  if (content === 'named' && isJsonObject(value)) visitNamed(keyword, value, here, scan);
  if (content === 'value') visitValue(keyword, value, here, scan);
}

function visitNamed(keyword: string, named: JsonObject, here: string, scan: SchemaScan): void {
  for (const [name, schema] of Object.entries(named)) {
    const at = `${here}/${escapePointer(name)}`;
    if (keyword === 'patternProperties') checkPattern(name, at, scan);
    visitSchema(schema, at, scan);
  }
}

function visitValue(keyword: string, value: Json, here: string, scan: SchemaScan): void {
  if (typeof value !== 'string') return;
  if (keyword === '$ref' || keyword === '$dynamicRef') scan.references.push({ pointer: here, reference: value });
  if (keyword === '$anchor' || keyword === '$dynamicAnchor') addAnchor(value, here, scan);
  if (keyword === 'pattern') checkPattern(value, here, scan);
  if (keyword === '$schema' && (value !== dialect || here !== '/$schema'))
    report(scan, here, `Only the root may name the dialect, and it is ${dialect}.`);
}

function addAnchor(anchor: string, here: string, scan: SchemaScan): void {
  if (scan.anchors.has(anchor)) report(scan, here, 'Another schema has this anchor.');
  scan.anchors.add(anchor);
}

function checkPattern(pattern: string, here: string, scan: SchemaScan): void {
  if (pattern.length > formSchemaLimits.patternLength)
    report(scan, here, `A pattern has at most ${formSchemaLimits.patternLength} characters.`);
  else if (!isRegularExpression(pattern))
    report(scan, here, 'It is not a regular expression (ECMA-262, Unicode mode).');
}

function isRegularExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Exact numbers have no meaning for a validator, which computes with JavaScript's numbers. */
function visitNumbers(value: Json | undefined, pointer: string, scan: SchemaScan): void {
  if (value instanceof ExactNumber)
    report(scan, pointer, 'A number has more digits than JSON can exchange (RFC 7493, 2.2).');
  if (!isContainer(value)) return;
  for (const [key, child] of Object.entries(value))
    visitNumbers(child as Json, `${pointer}/${escapePointer(key)}`, scan);
}

/** Explains why a reference cannot be followed; undefined when it leads to a schema of the document. */
function referenceFault(reference: string, { schemas, anchors }: SchemaScan): string | undefined {
  if (!reference.startsWith('#')) return 'A reference stays inside the document: it begins with #.';
  const fragment = decoded(reference.slice(1));
  if (fragment !== undefined && (schemas.has(fragment) || anchors.has(fragment))) return undefined;
  return 'It does not lead to a schema of this document.';
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
