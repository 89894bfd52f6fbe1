import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { apiTables, formHostApis } from '#shared/api';
import { fullPath } from '#shared/kernel/endpoint';
import { openapi } from './openapi.ts';

const openapiOf = (tables: typeof apiTables) => openapi(tables, { version: '0.0.0', origin: 'http://127.0.0.1:1' });
const document = openapiOf([...apiTables, formHostApis]);

describe.each([
  ['a server', apiTables],
  ['a server with a form host', [...apiTables, formHostApis]],
])('the document of %s', (_, tables) => {
  const ofTables = openapiOf(tables);

  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(ofTables) as never);
    expect(result).toEqual({ valid: true });
  });

  test('lists every endpoint of every table, and nothing else', () => {
    const listed = Object.entries(ofTables.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const mounted = tables
      .flatMap((table) => Object.values(table))
      .map((endpoint) => `${endpoint.method} ${fullPath(endpoint).replace(/:(\w+)/g, '{$1}')}`);
    expect(listed.sort()).toEqual(mounted.sort());
  });

  test('has unique operation names and descriptor numbers', () => {
    const operations = tables.flatMap((table) => Object.entries(table));
    expect(new Set(operations.map(([name]) => name)).size).toBe(operations.length);
    const numbers = operations.flatMap(([, { descriptor }]) => (descriptor === undefined ? [] : [descriptor]));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('has no reference that points outside', () => {
    const refs = [...JSON.stringify(ofTables).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');
    for (const ref of refs) expect(ofTables.components).toHaveProperty(ref.replace('#/components/', '').split('/'));
  });
});

test('records have their own names', () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['Capsule', 'Run', 'Source', 'Workspace']),
  );
  const reply = JSON.stringify(document.paths['/api/v1/capsules/{capsuleId}']?.['get']);
  expect(reply).toContain('"$ref":"#/components/schemas/Capsule"');
});

test('generators find whole numbers, headers, alternatives and pages', () => {
  const operation = (path: string, method: string) =>
    document.paths[path]?.[method] as {
      parameters: { name: string; schema: object }[];
      requestBody?: { required: boolean; content: Record<string, { schema: { oneOf?: object[] } }> };
      responses: Record<string, { headers: object; content?: object }>;
    };
  const { parameters, responses } = operation('/api/v1/workspaces', 'get');
  expect(parameters.find(({ name }) => name === 'limit')?.schema).toMatchObject({ type: 'integer', minimum: 1 });
  expect(Object.keys(responses['429']?.headers ?? {})).toEqual(['x-request-id', 'cache-control', 'retry-after']);
  expect(responses['200']?.headers).toMatchObject({ 'x-request-id': { $ref: '#/components/headers/x-request-id' } });
  const step = operation('/api/v1/install-plans/{installPlanId}/reconcile', 'post').responses['202'];
  expect(step?.headers).toHaveProperty('retry-after');
  const added = operation('/api/v1/workspaces/{workspaceId}/members', 'post').requestBody;
  expect(added?.required).toBe(true);
  expect(added?.content['application/json']?.schema.oneOf).toEqual(
    ['email', 'accountId', 'subject'].map((name) => expect.objectContaining({ required: [name] })),
  );
  const run = operation('/internal/v1/runs', 'post').requestBody?.content['application/json']?.schema.oneOf ?? [];
  expect(run.map((way) => Object.keys((way as { properties: object }).properties))).toEqual([
    ['capsuleId', 'type', 'compatibilityReportId'],
    ['planRunId', 'planDigest'],
  ]);
  const link = operation('/install', 'get').responses;
  expect(link['302']?.headers).toHaveProperty('location');
  expect(link['400']?.content).toHaveProperty(['text/html']);
  expect(JSON.stringify(document)).not.toContain('*/*');
});

test('operations of the form host accept bearers only, and name their headers and their error', () => {
  const { put } = document.paths['/apis/forms.formhost/v1alpha1/resources/{kind}/{name}'] as Record<
    'put',
    { tags: string[]; security: object[]; parameters: { name: string; required: boolean }[]; responses: object }
  >;
  expect(put.tags).toEqual(['Form host']);
  expect(put.security.flatMap((one) => Object.keys(one))).toEqual(['session', 'token', 'oauth']);
  const headers = put.parameters.map(({ name, required }) => `${name} ${required}`);
  expect(headers).toEqual(expect.arrayContaining(['if-match false', 'if-none-match false', 'idempotency-key true']));
  expect(JSON.stringify(put.responses)).toContain('"$ref":"#/components/schemas/FormErrorResponse"');
  expect(JSON.stringify(put.responses)).not.toContain('"$ref":"#/components/schemas/ErrorResponse"');
});

test('every limit has its bounds and its default', () => {
  const limitsOf = Object.values(document.paths).flatMap((item) =>
    Object.values(
      item as Record<string, { operationId: string; parameters: { name: string; schema: object }[] }>,
    ).flatMap(({ operationId, parameters }) =>
      parameters.filter(({ name }) => /limit$/i.test(name)).map(({ schema }) => ({ operationId, schema })),
    ),
  );
  expect(limitsOf.length).toBeGreaterThan(30);
  for (const { operationId, schema } of limitsOf) {
    const { type, minimum, maximum, default: usual, pattern } = schema as Record<string, unknown>;
    expect([operationId, type, minimum, typeof maximum, typeof usual, pattern]).toEqual([
      operationId,
      'integer',
      1,
      'number',
      'number',
      undefined,
    ]);
  }
  const limitOf = (name: string) => limitsOf.find(({ operationId }) => operationId === name)?.schema;
  expect(limitOf('listRuns')).toMatchObject({ maximum: 500, default: 100 });
  expect(limitOf('getRunLogs')).toMatchObject({ maximum: 5_000, default: 1_000 });
  expect(limitOf('listTokens')).toMatchObject({ maximum: 200, default: 50 });
});

test('no date of an example is in the past, and nothing expires before it is created', () => {
  const text = JSON.stringify(document);
  const years = [...text.matchAll(/"(\d{4})-\d\d-\d\dT/g)].map(([, year]) => Number(year));
  expect(years.length).toBeGreaterThan(50);
  expect(Math.min(...years)).toBeGreaterThan(2090);
  const times = [...text.matchAll(/"(?:at|now|\w+At)":(\d+)/g)].map(([, at]) => Number(at));
  expect(Math.min(...times, Number.POSITIVE_INFINITY)).toBeGreaterThan(Date.UTC(2090));
  const dates = (name: RegExp) => [...text.matchAll(name)].map(([, date]) => date ?? '').sort();
  const created = dates(/"created_?[aA]t":"([^"]+)"/g);
  const [expiry = ''] = dates(/"(?:planExpiresAt|expires_?[aA]t)":"([^"]+)"/g);
  expect(Date.parse(expiry)).toBeGreaterThan(Date.parse(created.at(-1) ?? ''));
});

test('arbitrary JSON is the empty schema, and no tuple is written without members', () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain('"prefixItems":[]');
  expect(text).not.toMatch(/"type":"null"\},\{"type":"array","items":\{"\$ref":/);
});
