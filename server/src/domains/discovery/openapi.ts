import type { z } from 'zod';
import { errorStatus } from '#shared/errors';
import { formErrorCodes } from '#shared/form-errors';
import { type Api, type Endpoint, fullPath, isFormHost } from '#shared/kernel/endpoint';
import { refusalsByStatus, repliesOf } from './answers.ts';
import { exampleOf, type Schema } from './example.ts';
import { writtenExamples } from './example-bodies.ts';
import { namedSchemaOf, schemaOf } from './json-form.ts';
import { recordNames } from './named-records.ts';
import { describe, securityOf, securitySchemes, tagOf } from './operation-texts.ts';
import { parameters } from './parameters.ts';
import { headerComponents, responseHeaders } from './response-headers.ts';

const errorOf = (
  codes: readonly string[],
  more: Readonly<Record<string, Schema>> = {},
  required: string[] = [],
): Schema => ({
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId', ...required],
      properties: {
        code: { type: 'string', enum: [...codes] },
        message: { type: 'string' },
        requestId: { type: 'string' },
        ...more,
        details: { type: 'object', additionalProperties: true },
      },
    },
  },
});
const errorResponse = errorOf(Object.keys(errorStatus));
const formErrorResponse = errorOf(formErrorCodes, { retryable: { type: 'boolean' }, hostCode: { type: 'string' } }, [
  'retryable',
]);

/** Moves parts that zod writes as `#/$defs/…` to the components: records under their names, others under the operation's. */
function lift(schema: Schema, name: string, components: Record<string, Schema>): Schema {
  const { $defs = {}, ...rest } = schema as Schema & { $defs?: Record<string, Schema> };
  const renamed = (key: string) => (recordNames.has(key) ? key : `${name}_${key.replace(/\W/g, '')}`);
  const rewrite = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewrite);
    if (value === null || typeof value !== 'object') return value;
    const key = /^#\/\$defs\/(.+)$/.exec(String((value as Schema)['$ref']))?.[1];
    if (key !== undefined) return { $ref: `#/components/schemas/${renamed(key)}` };
    const rewritten = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, rewrite(child)]));
    return withoutEmptyTuple(rewritten);
  };
  for (const [key, def] of Object.entries($defs)) components[renamed(key)] = rewrite(def) as Schema;
  return rewrite(rest) as Schema;
}

/** JSON Schema 2020-12 requires at least one member of `prefixItems`, and many generators do not support `items: false`. */
function withoutEmptyTuple({ prefixItems, ...schema }: Schema & { prefixItems?: unknown }): Schema {
  if (Array.isArray(prefixItems) && prefixItems.length === 0) return { ...schema, items: {}, maxItems: 0 };
  return prefixItems === undefined ? schema : { ...schema, prefixItems };
}

const json = (schema: Schema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** Returns an example body of an operation: written by hand where the schema is not sufficient, otherwise generated from it. */
export function exampleBody(name: string, endpoint: Endpoint): unknown {
  if (!endpoint.body) return undefined;
  return writtenExamples[name]?.body ?? exampleOf(schemaOf(endpoint.body, 'input'));
}

/** Returns an example answer of an operation; undefined where the answer has no body. */
export function exampleReply(name: string, type: z.ZodType): unknown {
  const schema = schemaOf(type, 'output');
  const isNothing = Object.keys(schema).length === 0;
  return isNothing ? undefined : (writtenExamples[name]?.reply ?? exampleOf(schema));
}

const errorNameOf = (endpoint: Endpoint): string => (isFormHost(endpoint) ? 'FormErrorResponse' : 'ErrorResponse');

function responses(endpoint: Endpoint, name: string, components: Record<string, Schema>): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  const replies = repliesOf(endpoint);
  const streams = Object.fromEntries((endpoint.streams ?? []).map((type) => [type, { schema: { type: 'string' } }]));
  if (endpoint.streams && !replies[200])
    answers['200'] = { description: endpoint.summary, headers: responseHeaders(endpoint, 200), content: streams };
  if (endpoint.ranges) {
    answers['206'] = { description: 'The part that `Range` names', content: streams };
    answers['416'] = { description: 'The part that `Range` names is after the end of the file' };
  }
  for (const [status, reply] of Object.entries(replies)) {
    const content =
      status === '204' || status === '302' || status === '303'
        ? {}
        : {
            content: json(lift(namedSchemaOf(reply), `${name}_${status}`, components), exampleReply(name, reply)),
          };
    answers[status] = {
      description: endpoint.summary,
      headers: responseHeaders(endpoint, Number(status)),
      ...('content' in content && { content: { ...content.content, ...(status === '200' && streams) } }),
    };
  }
  const refusals = refusalsByStatus(endpoint);
  if (endpoint.conditional) refusals.set(412, ['failed_precondition']);
  for (const [status, codes] of [...refusals].sort(([a], [b]) => a - b)) {
    if (String(status) in answers) continue;
    answers[String(status)] = {
      description: codes.join(', '),
      headers: responseHeaders(endpoint, status),
      content: {
        ...json({ $ref: `#/components/schemas/${errorNameOf(endpoint)}` }),
        ...(endpoint.refusesAsPage && { 'text/html': { schema: { type: 'string' } } }),
      },
    };
  }
  return answers;
}

function operation(name: string, endpoint: Endpoint, components: Record<string, Schema>) {
  const body = endpoint.body && lift(schemaOf(endpoint.body, 'input'), `${name}_body`, components);
  return {
    operationId: name,
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    description: describe(endpoint),
    ...(endpoint.descriptor !== undefined && { 'x-svc-descriptor': endpoint.descriptor }),
    'x-svc-permission': endpoint.class,
    security: securityOf(endpoint),
    parameters: parameters(endpoint),
    ...(body && {
      requestBody: {
        required: !endpoint.body?.safeParse({}).success,
        content: json(body, exampleBody(name, endpoint)),
      },
    }),
    ...(endpoint.rawBody && { requestBody: { content: { 'application/octet-stream': { schema: {} } } } }),
    responses: responses(endpoint, name, components),
  };
}

/** Generates one OpenAPI 3.1 document from the endpoint tables. */
export function openapi(tables: readonly Api[], info: { version: string; origin: string }) {
  const paths: Record<string, Record<string, unknown>> = {};
  const operations = tables.flatMap((table) => Object.entries(table));
  const components: Record<string, Schema> = {
    ErrorResponse: errorResponse,
    ...(operations.some(([, endpoint]) => isFormHost(endpoint)) && { FormErrorResponse: formErrorResponse }),
  };
  for (const [name, endpoint] of operations) {
    const path = fullPath(endpoint).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint, components) };
  }
  return {
    openapi: '3.1.0' as const,
    info: { title: 'Ground Control', version: info.version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: info.origin }],
    paths,
    tags: [...new Set(operations.map(([, endpoint]) => tagOf(endpoint)))].sort().map((name) => ({ name })),
    components: { schemas: components, headers: headerComponents, securitySchemes },
  };
}
