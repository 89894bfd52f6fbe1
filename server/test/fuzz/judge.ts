import { apiTables } from '#shared/api';
import { type ErrorCode, errorStatus } from '#shared/errors';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { refusalsOf, repliesOf } from '../../src/domains/discovery/answers.ts';
import type { FuzzRequest } from './requests.ts';
import { mark } from './values.ts';

export type FuzzAnswer = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

const shapes = apiTables
  .flatMap((table): Endpoint[] => Object.values(table))
  .map((endpoint) => ({
    endpoint,
    shape: new RegExp(`^${fullPath(endpoint).replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
  }));

/**
 * Returns the route that a request really reaches: an unusual method or path may lead to a route other than the
 * intended one.
 */
function reached({ method, path }: FuzzRequest): Endpoint | undefined {
  const bare = path.split('?', 1)[0] ?? '';
  const verb = method === 'HEAD' ? 'GET' : method;
  return shapes.find(({ endpoint, shape }) => endpoint.method === verb && shape.test(bare))?.endpoint;
}

/** Returns a short problem with a response; undefined when the published description allows it. */
export function findFault(request: FuzzRequest, answer: FuzzAnswer): string | undefined {
  const { headers } = answer;
  if (headers['x-content-type-options'] !== 'nosniff') return 'no nosniff header';
  if (!headers['x-request-id']) return 'no request id';
  if (Object.keys(headers).some((name) => name.startsWith('access-control-'))) return 'a CORS header';
  const endpoint = reached(request);
  return answer.status >= 400 ? refusalFault(request, answer, endpoint) : replyFault(request, answer, endpoint);
}

type Envelope = { error?: { code?: ErrorCode; message?: string; requestId?: string; details?: object } };

function refusalFault(
  { method }: FuzzRequest,
  { status, headers, text }: FuzzAnswer,
  endpoint: Endpoint | undefined,
): string | undefined {
  if (text.includes(mark)) return `${status} repeats what was submitted: ${text.slice(0, 300)}`;
  if (method === 'HEAD') return status === 500 ? 'HEAD 500' : undefined;
  const type = String(headers['content-type']);
  if (endpoint?.answersAs === 'oauth' && isFlat(text, type)) return undefined;
  // A refused link is shown to a person as a page.
  if (type.startsWith('text/html') && endpoint?.errors?.includes('install_link_invalid')) return undefined;
  if (!type.startsWith('application/json')) return `${status} is ${type}`;
  const body = JSON.parse(text) as Envelope;
  if (body.error === undefined) return endpoint?.replies[status as 503] ? undefined : `${status} without an error`;
  const fault = envelopeFault(body, { status, requestId: headers['x-request-id'] });
  if (fault !== undefined || !endpoint) return fault;
  const code = body.error.code as ErrorCode;
  return refusalsOf(endpoint).includes(code) ? undefined : `${code} is not listed`;
}

/** An error of the issuer: two members (RFC 6749, 5.2), or a page for a person. */
function isFlat(text: string, type: string): boolean {
  if (type.startsWith('text/html')) return true;
  const body = JSON.parse(text) as Record<string, unknown>;
  return typeof body['error'] === 'string' && Object.keys(body).every((name) => /^error(?:_description)?$/.test(name));
}

function envelopeFault(
  { error = {}, ...beside }: Envelope,
  observed: { status: number; requestId: unknown },
): string | undefined {
  const { code, message = '', requestId, details = {}, ...rest } = error;
  if (Object.keys({ ...rest, ...beside }).length > 0) return `${observed.status} says more than the envelope`;
  if (code === undefined || !(code in errorStatus)) return `unknown code ${code}`;
  // Only the Interface preconditions have a status other than that of their code.
  const isOwnStatus =
    errorStatus[code] === observed.status || (code === 'failed_precondition' && observed.status === 412);
  if (!isOwnStatus) return `${code} as ${observed.status}`;
  if (code === 'internal_error') return 'internal_error';
  if (requestId !== observed.requestId) return 'another request id';
  if (!/^\S.*[.!?]$/s.test(message)) return `no sentence: ${message}`;
  return typeof details !== 'object' || details === null ? 'details are no object' : undefined;
}

function replyFault(
  { method }: FuzzRequest,
  { status, headers, text }: FuzzAnswer,
  endpoint: Endpoint | undefined,
): string | undefined {
  const type = String(headers['content-type'] ?? '');
  if (!endpoint) return type.startsWith('text/html') ? undefined : `${status} at no route`;
  if (method === 'HEAD') return undefined;
  if (status === 200 && !type.startsWith('application/json'))
    return endpoint.streams?.includes(type.split(';', 1)[0] ?? '') ? undefined : `200 as ${type}`;
  const schema = repliesOf(endpoint)[status as 200];
  if (!schema) return `${status} is not declared`;
  if ([204, 302, 303].includes(status)) return text === '' ? undefined : `${status} has a body`;
  const issue = schema.safeParse(JSON.parse(text)).error?.issues[0];
  return issue && `${status} /${issue.path.join('/')}: ${issue.message}`;
}
