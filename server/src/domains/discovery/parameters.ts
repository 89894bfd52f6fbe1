import type { z } from 'zod';
import type { Endpoint } from '#shared/kernel/endpoint';
import { idempotencyKeyBytes } from '#shared/limits';
import { takesKey } from './answers.ts';
import type { Schema } from './example.ts';
import { schemaOf } from './json-form.ts';

/** A number in a query is text with a pattern; the client passes a number, which has no pattern. */
function withoutTextForm({ pattern, ...schema }: Schema): Schema {
  return pattern === undefined || schema.type === 'integer' ? schema : { ...schema, pattern };
}

function parametersIn(location: 'path' | 'query', schema: z.ZodObject): unknown[] {
  const form = schemaOf(schema, 'input') as { properties?: Record<string, Schema>; required?: string[] };
  return Object.entries(form.properties ?? {}).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || (form.required ?? []).includes(name),
    schema: withoutTextForm(property),
  }));
}

const keyOf = (endpoint: Endpoint) => ({
  name: 'Idempotency-Key',
  in: 'header',
  required: endpoint.idempotency === 'required',
  schema: { type: 'string', minLength: idempotencyKeyBytes.min, maxLength: idempotencyKeyBytes.max },
});

/** Entity tag of the version that is changed (RFC 9110, 13.1.1). */
const ifMatch = { name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } };

/** The parameters of an operation: path, query, headers. `Authorization` is excluded (OpenAPI 3.1, Parameter Object). */
export function parameters(endpoint: Endpoint): unknown[] {
  const headers = (endpoint.rawBody?.headers ?? [])
    .filter((name) => name !== 'authorization')
    .map((name) => ({ name, in: 'header', required: false, schema: { type: 'string' } }));
  return [
    ...(endpoint.params ? parametersIn('path', endpoint.params) : []),
    ...(endpoint.query ? parametersIn('query', endpoint.query) : []),
    ...headers,
    ...(endpoint.conditional ? [ifMatch] : []),
    ...Object.entries(endpoint.conditions ?? {}).map(([name, demand]) => ({
      name,
      in: 'header',
      required: demand === 'required',
      schema: { type: 'string' },
    })),
    ...(takesKey(endpoint) ? [keyOf(endpoint)] : []),
  ];
}
