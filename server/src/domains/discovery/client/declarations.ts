import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { errorStatus } from '#shared/errors';
import { type Api, type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { repliesOf } from '../answers.ts';
import type { Schema } from '../example.ts';
import { schemaOf } from '../json-form.ts';
import { describe } from '../operation-texts.ts';
import type { Operation } from './request.ts';

/** Routes that a program calls: all but the pages that a browser is redirected to. */
const isCalled = ({ class: permission, replies, streams }: Endpoint): boolean =>
  permission !== 'Op' && !streams?.includes('text/html') && !(303 in replies) && !(302 in replies);

const called = (tables: readonly Api[]): [string, Endpoint][] =>
  tables.flatMap((table) => Object.entries(table)).filter(([, endpoint]) => isCalled(endpoint));

function listOf(endpoint: Endpoint): Pick<Operation, 'rows' | 'cursor'> {
  const reply = endpoint.replies[200];
  const { properties = {} } = (reply ? schemaOf(reply, 'output') : {}) as { properties?: Record<string, Schema> };
  const cursor = (['nextCursor', 'next_cursor'] as const).find((name) => name in properties);
  const rows = Object.entries(properties).find(([, { type }]) => type === 'array')?.[0];
  return cursor && rows !== undefined ? { rows, cursor } : {};
}

/** Metadata of each operation for the client, as plain data. */
export const operationsOf = (tables: readonly Api[]): Record<string, Operation> =>
  Object.fromEntries(
    called(tables).map(([name, endpoint]) => [
      name,
      { method: endpoint.method, path: fullPath(endpoint), ...listOf(endpoint) },
    ]),
  );

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

type Printer = { named: ReadonlyMap<string, string>; defs: Map<string, string>; prefix: string };

const identityOf = (schema: Schema): string => JSON.stringify(schema);

/** Prints a schema as a TypeScript type. A part that is a named record is printed as its name. */
function print(schema: Schema, printer: Printer, skipName = false): string {
  const known = skipName ? undefined : printer.named.get(identityOf(schema));
  if (known !== undefined) return known;
  if (typeof schema.$ref === 'string')
    return `${printer.prefix}_${schema.$ref.replace(/^.*\//, '').replace(/\W/g, '')}`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(schema.type))
    return union(
      schema.type.map((type: string) => ({ ...schema, type })),
      printer,
    );
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (options) return union(options, printer);
  // Beside a type, `allOf` only restricts it further: text with two patterns is text.
  if (Array.isArray(schema.allOf) && schema.type === undefined)
    return (schema.allOf as Schema[]).map((part) => print(part, printer)).join(' & ');
  return printType(schema, printer);
}

const union = (options: readonly Schema[], printer: Printer): string =>
  [...new Set(options.map((option) => print(option, printer)))].join(' | ');

function printType(schema: Schema, printer: Printer): string {
  switch (schema.type) {
    case 'object':
      return printObject(schema, printer);
    case 'array':
      return printArray(schema, printer);
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'not' in schema ? 'never' : 'unknown';
  }
}

function printArray({ prefixItems, items }: Schema, printer: Printer): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((item: Schema) => print(item, printer)).join(', ')}]`;
  return `Array<${typeof items === 'object' ? print(items as Schema, printer) : 'unknown'}>`;
}

function printObject(schema: Schema, printer: Printer): string {
  const required = (schema.required ?? []) as string[];
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
    ([name, child]) => `${key(name)}${required.includes(name) ? '' : '?'}: ${print(child, printer)}`,
  );
  const open = schema.additionalProperties;
  if (members.length > 0 || typeof open !== 'object') return members.length > 0 ? `{ ${members.join('; ')} }` : '{}';
  return `{ [name: string]: ${print(open as Schema, printer)} }`;
}

/** Prints a whole schema; its recursive parts become declarations of their own. */
function printWhole(schema: Schema, printer: Printer, skipName = false): string {
  const { $defs = {}, ...rest } = schema as Schema & { $defs?: Record<string, Schema> };
  for (const [name, def] of Object.entries($defs)) {
    const id = `${printer.prefix}_${name.replace(/\W/g, '')}`;
    if (printer.defs.has(id)) continue;
    printer.defs.set(id, '');
    printer.defs.set(id, print(def, printer));
  }
  return print(rest, printer, skipName);
}

/** Query values are sent as text, so that numbers and booleans may be passed directly. */
const printQuery = (schema: Schema, printer: Printer): string => {
  const required = (schema.required ?? []) as string[];
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, child]) => {
    const isFlag = Array.isArray(child.enum) && child.enum.includes('true');
    const type = isFlag ? 'boolean' : 'enum' in child ? print(child, printer) : 'string | number';
    return `${key(name)}${required.includes(name) ? '' : '?'}: ${type}`;
  });
  return `{ ${members.join('; ')} }`;
};

function inputOf(endpoint: Endpoint, printer: Printer): { type: string; isNeeded: boolean } {
  const { params, query, body } = endpoint;
  const querySchema = query && schemaOf(query, 'input');
  const needsQuery = ((querySchema?.required ?? []) as string[]).length > 0;
  const parts = [
    ...(params ? [`params: ${print(schemaOf(params, 'input'), printer)}`] : []),
    ...(querySchema ? [`query${needsQuery ? '' : '?'}: ${printQuery(querySchema, printer)}`] : []),
    ...(body ? [`body: ${printWhole(schemaOf(body, 'input'), printer)}`] : []),
  ];
  return { type: `{ ${parts.join('; ')} }`, isNeeded: params !== undefined || needsQuery || body !== undefined };
}

function replyOf(endpoint: Endpoint, printer: Printer): string {
  const replies = Object.entries(repliesOf(endpoint)).filter(([status]) => status !== '503');
  const variants = replies.map(([status, reply]) => {
    const schema = schemaOf(reply, 'output');
    const body = Object.keys(schema).length === 0 ? 'undefined' : printWhole(schema, printer);
    return `{ status: ${status}; body: ${body} }`;
  });
  return variants.length === 0 ? 'never' : variants.join(' | ');
}

/** The types of the client's source are published unchanged; error codes are printed above them. */
const surface = readFileSync(path.join(import.meta.dirname, 'surface.ts'), 'utf8')
  .replace(/^import .*\n/gm, '')
  .trim();

const prelude = `// Made from the endpoint tables of the server. One declaration per operation, with its input and its answer.

export type ErrorCode = ${Object.keys(errorStatus)
  .map((code) => JSON.stringify(code))
  .join(' | ')};

${surface}

/** A refusal of the server. */
export interface ApiError extends Refusal {}
export declare class ApiError extends Error {}

/** The server could not be reached, or what answered is not one. */
export declare class NoAnswerError extends Error {}

type Input<Name extends keyof Operations> = Operations[Name] extends (input: infer I, ...rest: any[]) => any ? NonNullable<I> : never;
type Page<Name extends keyof Operations> = Awaited<ReturnType<Operations[Name]>> extends { body: infer Body } ? Body : never;

export type Client = Operations & {
  /** The pages of a list, one after the other. */
  pages<Name extends keyof Rows>(name: Name, input: Input<Name>, options?: CallOptions): AsyncGenerator<Page<Name>>;
  /** The rows of a list, page after page. */
  items<Name extends keyof Rows>(name: Name, input: Input<Name>, options?: CallOptions): AsyncGenerator<Rows[Name]>;
  /** The events of a Run, from the first or after a place, to its end; a line that breaks is taken up again. */
  runEvents(runId: string, options?: EventsOptions): AsyncGenerator<RunEvent>;
};

/** Typed calls of every operation. Throws \`ApiError\` on a refusal and \`NoAnswerError\` without an answer. */
export declare function createClient(options: ClientOptions): Client;
`;

/** Declarations of the client: plain TypeScript without dependencies. `contracts` are the named records. */
export function declarationsOf(tables: readonly Api[], contracts: Readonly<Record<string, z.ZodType>>): string {
  const named = new Map(
    Object.entries(contracts)
      .map(([name, type]): [string, Schema] => [name, schemaOf(type, 'output')])
      .filter(([, schema]) => schema.type === 'object' && schema.properties !== undefined && !('$defs' in schema))
      .map(([name, schema]): [string, string] => [identityOf(schema), name]),
  );
  const defs = new Map<string, string>();
  const rows: string[] = [];
  const operations = called(tables).map(([name, endpoint]) => {
    const printer = { named, defs, prefix: name };
    const { type, isNeeded } = inputOf(endpoint, printer);
    const { rows: list } = listOf(endpoint);
    if (list !== undefined)
      rows.push(
        `  ${name}: ReturnType<Operations['${name}']> extends Promise<{ body: { ${key(list)}: Array<infer Row> } }> ? Row : never;`,
      );
    const doc = `  /** ${endpoint.summary}. ${describe(endpoint)} */`;
    return `${doc}\n  ${name}(input${isNeeded ? '' : '?'}: ${type}, options?: CallOptions): Promise<${replyOf(endpoint, printer)}>;`;
  });
  const records = [...named].map(([text, name]) => {
    const printer = { named, defs, prefix: name };
    return `export type ${name} = ${print(JSON.parse(text) as Schema, printer, true)};`;
  });
  const parts = [...defs].map(([name, text]) => `export type ${name} = ${text};`);
  return [
    prelude,
    `export interface Operations {\n${operations.join('\n')}\n}`,
    `export type Rows = {\n${rows.join('\n')}\n};`,
    ...records,
    ...parts,
    '',
  ].join('\n\n');
}
