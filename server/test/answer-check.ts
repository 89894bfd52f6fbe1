import { expect } from 'vitest';
import { apiTables, formHostApis } from '#shared/api';
import { type Api, type Endpoint, fullPath, isFormHost } from '#shared/kernel/endpoint';
import { refusalsByStatus, refusalsOf, repliesOf } from '../src/domains/discovery/answers.ts';
import { describedHeaders, headerNamesOf } from '../src/domains/discovery/response-headers.ts';

type RequestTarget = { method: string; path: string };
type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string; json: unknown };

const tables: readonly Api[] = [...apiTables, formHostApis];
const routes = tables
  .flatMap((table) => Object.entries(table))
  .map(([name, endpoint]: [string, Endpoint]) => ({
    name,
    endpoint,
    onlyFormHost: endpoint.capability === 'form_host' && endpoint.class !== 'Op',
    shape: new RegExp(`^${fullPath(endpoint).replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
  }));

/** Statuses that some test of this process has seen, by operation: the others are untested. */
export const seen = new Map<string, Set<number>>();

/** Returns the operation of a request. */
export function operationOf({ method, path }: RequestTarget): { name: string; endpoint: Endpoint } | undefined {
  const bare = path.split('?', 1)[0] ?? '';
  return routes.find(({ endpoint, shape }) => endpoint.method === method && shape.test(bare));
}

/** Checks a response against the endpoint table, and so against the published description. */
export function checkAnswer({ method, path }: RequestTarget, answer: Answer, { formHost = false } = {}): void {
  expect(answer.headers['x-content-type-options'], 'every answer says nosniff').toBe('nosniff');
  expect(answer.headers['x-request-id'], 'every answer has an id').toBeTruthy();
  expect(Object.keys(answer.headers).filter((header) => header.startsWith('access-control-'))).toEqual([]);
  const verb = method === 'HEAD' ? 'GET' : method;
  const bare = path.split('?', 1)[0] ?? '';
  const route = routes.find(
    ({ endpoint, shape, onlyFormHost }) => (formHost || !onlyFormHost) && endpoint.method === verb && shape.test(bare),
  );
  checkHeaders(route?.endpoint, answer, route?.name ?? '');
  if (answer.status >= 400) {
    checkRefusal(route?.endpoint, answer, method);
    return;
  }
  if (!route || method === 'HEAD') return;
  seen.set(route.name, (seen.get(route.name) ?? new Set()).add(answer.status));
  // RFC 7009, 2.2: a revocation has no content.
  if (route.endpoint.answersAs === 'oauth' && answer.status === 200 && answer.text === '') return;
  const type = String(answer.headers['content-type']);
  if (answer.status === 200 && !type.startsWith('application/json')) {
    expect(route.endpoint.streams).toContain(type.split(';', 1)[0]);
    return;
  }
  const schema = repliesOf(route.endpoint)[answer.status as 200];
  expect(schema, `${route.name} declares ${answer.status}`).toBeDefined();
  if ([204, 302, 303].includes(answer.status)) {
    expect(answer.text).toBe('');
    return;
  }
  const parsed = schema?.safeParse(answer.json);
  expect(parsed?.error?.issues ?? [], `${route.name} answers what it declares`).toEqual([]);
}

/** A header of a response must be described, and a described header must be sent. */
function checkHeaders(endpoint: Endpoint | undefined, { status, headers }: Answer, operation: string): void {
  if (!endpoint) return;
  const sent = describedHeaders.filter((name) => headers[name] !== undefined);
  const { always, possible } = headerNamesOf(endpoint, status);
  expect(sent, `${operation} ${status}: headers`).toEqual(expect.arrayContaining([...always]));
  expect([...always, ...possible], `${operation} ${status}: described headers`).toEqual(expect.arrayContaining(sent));
}

function checkRefusal(endpoint: Endpoint | undefined, answer: Answer, method: string): void {
  if (method === 'HEAD' || answer.json === undefined || answer.json === false) return;
  const body = answer.json as { ok?: boolean; error?: string | { code: string; message: string; requestId: string } };
  if (body.error === undefined && endpoint?.replies[answer.status as 503]) return;
  if (endpoint?.answersAs === 'oauth' && typeof body.error === 'string') {
    // RFC 6749, 5.2.
    expect(body).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/), error_description: expect.any(String) });
    return;
  }
  const isForm = (endpoint && isFormHost(endpoint)) || hasRetryable(body.error);
  expect(body).toEqual({
    error: {
      ...(isForm && formMembersOf(body.error)),
      code: expect.any(String),
      message: expect.stringMatching(/^[A-Z].*[.!?]$|^\w+: .*[.!?]$/s),
      requestId: answer.headers['x-request-id'],
      ...('details' in ((body.error ?? {}) as object) && { details: expect.any(Object) }),
    },
  });
  if (endpoint) expect(codesOf(endpoint, answer.status), 'the table lists this refusal').toContain(codeOf(body.error));
}

function codesOf(endpoint: Endpoint, status: number): readonly string[] {
  if (isFormHost(endpoint)) return refusalsByStatus(endpoint).get(status) ?? [];
  return [...refusalsOf(endpoint), ...(endpoint.conditional ? ['failed_precondition'] : [])];
}

/** Members that only the envelope of the form host has. */
const formMembersOf = (error: unknown) => ({
  retryable: expect.any(Boolean),
  ...('hostCode' in (error as object) && { hostCode: expect.any(String) }),
});
const hasRetryable = (error: unknown): boolean => typeof error === 'object' && error !== null && 'retryable' in error;
const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code;

/** Names of the operations of a server without a form host. */
export const operationNames = (): string[] => apiTables.flatMap((table) => Object.keys(table));
